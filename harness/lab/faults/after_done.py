"""Text after the terminator."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.edits import nth
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("after-done", "malformed")
def after_done(plan: Plan, p: Params) -> Plan:
    """Content event ``at`` (50%) comes again after ``[DONE]``: two workers write one stream."""
    index = nth(plan, p)
    if index is None:
        return plan
    late = replace(plan.emissions[index], at=plan.end_at)
    return plan.with_emissions([*plan.emissions, late])
