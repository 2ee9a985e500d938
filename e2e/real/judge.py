"""What is said of one row's captures. A process of its own does it, so that no stream waits for a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.diagnose.pair import Pair
from harness.diagnose.run import diagnose
from harness.diagnose.view import View
from harness.wire.decode import decode

APART_MS = 2.0  # reads closer than this came in one burst


@dataclass(frozen=True, slots=True)
class Taken:
    """The captures of a row. ``climbed``: one exchange a hop, innermost first (none where the client leaves);
    ``outer``: what came out of the outermost part; ``emit``: that very exchange as the lab sent it (None where the part
    answered from its cache)."""

    climbed: tuple[Capture, ...]
    outer: Capture
    emit: Capture | None


@dataclass(frozen=True, slots=True)
class Measured:
    """``ladder``: over one exchange a hop. ``same``: over one exchange, as the lab sent it and as it was read behind
    the part. ``alone``: over that read alone. ``bursts`` of reads; ``delay_ms`` the longest from the lab's write to
    the read; ``left_ms`` how long after the client left the lab saw it."""

    taken: Taken
    ladder: Answer | None
    same: Answer | None
    alone: Answer
    bursts: int
    delay_ms: float | None
    left_ms: float | None


def judge(taken: Taken) -> Measured:
    outer, emit = taken.outer, taken.emit
    same, delay, left = None, None, None
    if emit is not None:
        same = diagnose([emit, outer])
        pair = Pair(View(decode(emit), 0), View(decode(outer), 1))
        shift = pair.shift_ms or 0.0
        delay = max((row.outer_ms - row.inner_ms - shift for row in pair.timed), default=None)
        if "client_left_ms" in emit.meta and outer.end is not None:
            left = emit.meta["client_left_ms"] + shift - outer.end.t
    climbed = diagnose(taken.climbed) if taken.climbed else None
    return Measured(taken, climbed, same, diagnose([outer]), bursts(outer.times), delay, left)


def bursts(times: Sequence[float]) -> int:
    return 1 + sum(b - a >= APART_MS for a, b in pairwise(times)) if len(times) else 0
