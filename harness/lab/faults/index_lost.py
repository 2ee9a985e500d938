"""Two choices under one index."""

from __future__ import annotations

from harness.lab.edits import with_text
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("index-lost", "interleave")
def index_lost(plan: Plan, p: Params) -> Plan:
    """A second choice whose chunks all say index 0: a gateway that fills the index in itself."""
    rows = []
    for e in plan.emissions:
        rows.append(e)
        if e.kind in ("text", "reasoning"):
            rows.append(with_text(e, lambda text: text.upper()))
    return plan.with_emissions(rows)
