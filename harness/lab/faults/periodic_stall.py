"""A silence every few events."""

from __future__ import annotations

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("periodic-stall", "stall")
def periodic_stall(plan: Plan, p: Params) -> Plan:
    """Silent for ``for`` (2500ms) after every ``every`` (20) content events: a neighbour's prefill, throttling."""
    every, content = max(1, p.count("every", 20)), plan.content()
    for index in content[every - 1 :: every]:
        plan = plan.shifted(index + 1, p.ms("for", 2500))
    return plan
