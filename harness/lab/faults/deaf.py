"""The client's leaving is ignored."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("deaf", "not-cancelled", whole=True)
def deaf(plan: Plan, p: Params) -> Plan:
    """Goes on to the end although the client left: an abort that never arrives. Without a Stop it is healthy."""
    return replace(plan, deaf=True)
