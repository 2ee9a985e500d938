"""Another answer's events come in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.lab.edits import with_payload, with_text
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


def _other_text(n: int) -> Callable[[str], str]:
    return lambda _: f" other{n}"


@fault("two-turns", "interleave")
def two_turns(plan: Plan, p: Params) -> Plan:
    """Every ``every`` (3) content events one of another answer, with the other's id: connections that share a buffer, a
    session key that is not unique."""

    def other(payload: dict[str, Any]) -> None:
        payload["id"] = "chatcmpl-other"

    rows, seen = [], 0
    for e in plan.emissions:
        rows.append(e)
        if e.kind == "text":
            seen += 1
            if seen % max(1, p.count("every", 3)) == 0:
                rows.append(with_text(with_payload(e, other), _other_text(seen)))
    return plan.with_emissions(rows)
