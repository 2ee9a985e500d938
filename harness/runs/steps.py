"""How far a job is, hop by hop: a step each time a hop is asked, and one when it has answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from harness.capture.model import Capture
from harness.routes.model import Hop
from harness.timeline.row import row
from harness.wire.decode import decode

Watch = Callable[[Hop, int | None, Capture | None], None]
"""Takes a hop and the round (None where there is one): without a capture when it is about to be asked, then with it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One hop. ``state``: waiting, probing, ended, unreachable. Times in ms; ``end`` and ``detail`` as in a capture."""

    hop: str
    state: str = "waiting"
    round: int | None = None
    status: int | None = None
    outcome: str = ""
    end: str = ""
    detail: str = ""
    ttfb_ms: float | None = None
    ttft_ms: float | None = None
    itl_p50_ms: float | None = None
    itl_max_ms: float | None = None
    end_ms: float | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def step_of(hop: str, number: int | None, capture: Capture | None) -> Step:
    """The step that a :data:`Watch` call tells of. It decodes the answer: keep it off the event loop."""
    if capture is None:
        return Step(hop, "probing", number)
    end = capture.end
    how, detail = (end.kind, end.detail) if end else ("open", "")
    if unreachable(capture):
        return Step(hop, "unreachable", number, end=how, detail=detail)
    found = row(decode(capture))
    timing = found["timing"]
    gaps = timing["itl_ms"] or {}
    return Step(
        hop,
        "ended",
        number,
        status=capture.head.status if capture.head else None,
        outcome=found["outcome"],
        end=how,
        detail=detail,
        ttfb_ms=timing["ttfb_ms"],
        ttft_ms=timing["ttft_ms"],
        itl_p50_ms=gaps.get("p50"),
        itl_max_ms=gaps.get("max"),
        end_ms=end.t if end else None,
    )


def unreachable(capture: Capture) -> bool:
    """Whether no connection could be made, so that there is nothing to judge."""
    return capture.head is None and capture.end is not None and not len(capture.times)


def latest(hops: Sequence[str], steps: Iterable[Mapping[str, Any]]) -> list[Step]:
    """The last step of each hop, in the order of ``hops``; ``waiting`` for those that had none."""
    known = {field.name for field in fields(Step)}
    last = {step["hop"]: step for step in steps}
    return [Step(**{k: v for k, v in last.get(hop, {"hop": hop}).items() if k in known}) for hop in hops]
