"""Two choices, interleaved and well told apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.lab.edits import with_payload, with_text
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("second-choice", "")
def second_choice(plan: Plan, p: Params) -> Plan:
    """A second choice whose chunks come between those of the first, each with its own index: legal with n=2."""

    def other(payload: dict[str, Any]) -> None:
        for choice in payload.get("choices") or ():
            choice["index"] = int(choice.get("index", 0)) + 1

    rows = []
    for e in plan.emissions:
        rows.append(e)
        if e.kind in ("role", "text", "reasoning", "finish"):
            rows.append(replace(with_text(with_payload(e, other), str.upper), choice=e.choice + 1))
    return plan.with_emissions(rows)
