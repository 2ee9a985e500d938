"""Nothing comes for a long time."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("late-first-byte", "first-byte", whole=True)
def late_first_byte(plan: Plan, p: Params) -> Plan:
    """Head and answer ``for`` (12s) later: a queue, a cold load, a retry that nobody sees."""
    ms = p.ms("for", 12_000)
    return replace(plan.shifted(0, ms), head_at=(plan.head_at or 0.0) + ms)
