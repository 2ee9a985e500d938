"""Neighbours change places."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("reorder", "reorder")
def reorder(plan: Plan, p: Params) -> Plan:
    """Swaps content event ``at`` (7) with the next, then every ``every`` (10; 0: once): workers that race, a queue
    without a key. The times stay where they were."""
    rows = list(plan.emissions)
    content = plan.content()
    every, n = p.count("every", 10), p.place("at", 7, len(content))
    while n < len(content):
        a, b = content[n - 1], content[n]
        rows[a], rows[b] = replace(rows[b], at=rows[a].at), replace(rows[a], at=rows[b].at)
        if every < 1:
            break
        n += max(every, 2)
    return plan.with_emissions(rows)
