"""NaN where JSON has no such number."""

from __future__ import annotations

from dataclasses import replace

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

    rows = list(plan.emissions)
    marked = with_payload(rows[index], lambda payload: payload.update(logprob="@@nan@@"))
    rows[index] = replace(marked, data=plan.encode(marked).replace(b'"@@nan@@"', b"NaN"))
    return plan.with_emissions(rows)
