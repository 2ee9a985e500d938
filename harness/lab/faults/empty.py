"""An empty answer."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("empty", "truncation")
def empty(plan: Plan, p: Params) -> Plan:
    """200, the head of a stream, and a clean end without a single event: a gateway that swallowed a refusal."""
    return replace(plan, emissions=(), head_at=plan.head_at or 0.0, end_at=plan.head_at or 0.0)
