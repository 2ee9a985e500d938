"""Silence after the terminator."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("late-close", "stall", "warning")
def late_close(plan: Plan, p: Params) -> Plan:
    """The connection stays open for ``for`` (5s) after ``[DONE]``: clients that read to the end seem to hang."""
    return replace(plan, end_at=plan.end_at + p.ms("for", 5000))
