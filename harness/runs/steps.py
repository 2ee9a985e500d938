"""How far a job is, hop by hop: a step each time a hop is asked, and one when it has answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from harness.capture.model import Capture
from harness.routes.model import Hop
from harness.timeline.reached import unreached
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
    if unreached(capture):
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


def latest(
    hops: Sequence[str], steps: Iterable[Mapping[str, Any]], *, running: bool = True, number: int | None = None
) -> list[Step]:
    """The step of each hop to show, in the order of ``hops``; ``waiting`` for those that had none.

    While a job runs, the last one, a hop that is asked again with its figures from the round before. When it has
    ended, the last answer; that of round ``number`` where there is one.
    """
    known = {field.name for field in fields(Step)}
    shown = {hop: Step(hop) for hop in hops}
    settled: set[str] = set()
    for told in steps:
        step = Step(**{name: value for name, value in told.items() if name in known})
        if step.state == "probing":
            if running:
                before = shown.get(step.hop, step)
                shown[step.hop] = replace(before, state="probing", round=step.round)
        elif step.hop not in settled:
            shown[step.hop] = step
            if not running and number is not None and step.round == number:
                settled.add(step.hop)
    return [shown[hop] for hop in hops]
