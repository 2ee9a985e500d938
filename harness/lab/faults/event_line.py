"""Every event has a name."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("event-line", "")
def event_line(plan: Plan, p: Params) -> Plan:
    """``event: message`` before the data: legal, and fatal to clients that expect data first."""
    return plan.each(lambda e: replace(e, event=e.event or "message", data=None))
