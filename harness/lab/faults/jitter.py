"""Gaps vary."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.edits import in_order
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("jitter", "")
def jitter(plan: Plan, p: Params) -> Plan:
    """Every gap is multiplied by 1 ± ``by`` (0.5), evenly spread by seed: a loaded engine. Healthy."""
    by, delay, rows = p.number("by", 0.5), 0.0, []
    previous = plan.head_at or 0.0
    for e in plan.emissions:
        delay += (e.at - previous) * p.rng.uniform(-by, by)
        previous = e.at
        rows.append(replace(e, at=max(0.0, e.at + delay)))
    return in_order(plan.with_emissions(rows, end_at=max(plan.end_at + delay, rows[-1].at if rows else 0.0)))
