"""A silence in the middle of a good stream."""

from __future__ import annotations

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("stall", "stall")
def stall(plan: Plan, p: Params) -> Plan:
    """Silent ``for`` (3s) after content event ``at`` (20), then on to a good end: preemption, a long prefill of a
    neighbour, a GPU that throttles."""
    content = plan.content()
    if not content:
        return plan
    return plan.shifted(content[p.place("at", 20, len(content)) - 1] + 1, p.ms("for", 3000))
