"""Tokens come several at a time."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.edits import in_order
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("clump", "", outer="burst")
def clump(plan: Plan, p: Params) -> Plan:
    """Content events wait until there are ``by`` (4) of them, then come together: a stream interval, speculative
    decoding, a proxy's buffer. Legal, and even."""
    by, content = max(1, p.count("by", 4)), plan.content()
    rows = list(plan.emissions)
    for start in range(0, len(content), by):
        group = content[start : start + by]
        for index in group:
            rows[index] = replace(rows[index], at=rows[group[-1]].at)
    return in_order(plan.with_emissions(rows))
