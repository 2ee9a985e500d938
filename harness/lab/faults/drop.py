"""Events are lost."""

from __future__ import annotations

from harness.lab.edits import chosen
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("drop", "loss")
def drop(plan: Plan, p: Params) -> Plan:
    """Content event ``at`` (7) is missing, and every ``every``-th (10; 0: that one alone) after it: a full queue, a
    line that did not parse and was skipped."""
    gone = set(chosen(plan, p, 7, 10))
    return plan.with_emissions(e for i, e in enumerate(plan.emissions) if i not in gone)
