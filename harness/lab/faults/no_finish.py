"""The finish reason is missing."""

from __future__ import annotations

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("no-finish", "malformed", "warning")
def no_finish(plan: Plan, p: Params) -> Plan:
    """No chunk carries a finish reason; ``[DONE]`` comes: a gateway that drops chunks without content."""
    return plan.with_emissions(e for e in plan.emissions if e.kind != "finish")
