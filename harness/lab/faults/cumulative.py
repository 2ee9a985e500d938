"""Each event repeats all the text so far."""

from __future__ import annotations

from collections.abc import Callable

from harness.lab.edits import text_of, with_text
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("cumulative", "duplicate")
def cumulative(plan: Plan, p: Params) -> Plan:
    """Every content event carries the whole text up to it: a backend with its own protocol behind a thin adapter."""
    rows, so_far = [], ""
    for e in plan.emissions:
        if e.kind == "text":
            so_far += text_of(e)
            e = with_text(e, _always(so_far))
        rows.append(e)
    return plan.with_emissions(rows)


def _always(text: str) -> Callable[[str], str]:
    return lambda _: text
