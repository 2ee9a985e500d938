"""An event comes twice."""

from __future__ import annotations

from harness.lab.edits import chosen
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("duplicate", "duplicate")
def duplicate(plan: Plan, p: Params) -> Plan:
    """Content event ``at`` (7) is sent twice, and every ``every``-th (0: that one alone) after it: a retry in the
    middle, a cache that overlaps the live stream."""
    again = set(chosen(plan, p, 7, 0))
    return plan.with_emissions(e for i, e in enumerate(plan.emissions) for _ in range(2 if i in again else 1))
