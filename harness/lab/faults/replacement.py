"""Characters became U+FFFD."""

from __future__ import annotations

from harness.lab.edits import chosen, with_text
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("replacement", "encoding")
def replacement(plan: Plan, p: Params) -> Plan:
    """Content event ``at`` (7) and every ``every``-th (10) end in U+FFFD: somebody decoded each read on its own."""
    bad = set(chosen(plan, p, 7, 10))
    rows = (with_text(e, lambda t: t + "\ufffd\ufffd") if i in bad else e for i, e in enumerate(plan.emissions))
    return plan.with_emissions(rows)
