"""Nothing ever comes."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("no-first-byte", "first-byte", whole=True)
def no_first_byte(plan: Plan, p: Params) -> Plan:
    """Takes the request and says nothing, connection open: a hung worker, a load balancer without a backend."""
    return replace(plan, emissions=(), head_at=None, end="hang")
