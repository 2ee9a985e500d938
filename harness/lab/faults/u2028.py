"""U+2028 inside the text."""

from __future__ import annotations

from harness.lab.edits import nth, with_text
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("u2028", "")
def u2028(plan: Plan, p: Params) -> Plan:
    """A raw line separator in content event ``at`` (7): legal inside JSON; clients that split lines as Python's
    ``splitlines`` does break there."""
    index = nth(plan, p, 7)
    if index is None:
        return plan
    rows = list(plan.emissions)
    rows[index] = with_text(rows[index], lambda text: text + "\u2028")
    return plan.with_emissions(rows)
