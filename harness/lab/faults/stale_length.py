"""Content-Length is not the body's."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("stale-length", "truncation", "warning")
def stale_length(plan: Plan, p: Params) -> Plan:
    """The head declares ``by`` (100) bytes more than come, then closes: a rewriter that kept the old length."""
    size = len(plan.body())
    return replace(plan, transfer="length", declared=size + p.count("by", 100), end="cut")
