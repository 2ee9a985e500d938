"""NaN where JSON has no such number."""

from __future__ import annotations

from typing import Any

from harness.lab.edits import nth, with_payload
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("nan", "malformed")
def nan(plan: Plan, p: Params) -> Plan:
    """Content event ``at`` (7) carries a logprob of NaN: a Python server that writes what JSON forbids."""
    index = nth(plan, p, 7)
    if index is None:
        return plan

    def poison(payload: dict[str, Any]) -> None:
        payload["logprob"] = float("nan")

    rows = list(plan.emissions)
    rows[index] = with_payload(rows[index], poison)
    return plan.with_emissions(rows)
