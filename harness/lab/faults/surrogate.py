"""A lone surrogate."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.edits import nth, with_text
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("surrogate", "encoding")
def surrogate(plan: Plan, p: Params) -> Plan:
    """Content event ``at`` (7) ends in half an emoji, as a JSON escape: a UTF-16 string cut between its halves."""
    index = nth(plan, p, 7)
    if index is None:
        return plan
    rows = list(plan.emissions)
    marked = with_text(rows[index], lambda text: text + "@@half@@")
    rows[index] = replace(marked, data=plan.encode(marked).replace(b"@@half@@", b"\\ud83d"))
    return plan.with_emissions(rows)
