"""A comment inside every event."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("comments", "")
def comments(plan: Plan, p: Params) -> Plan:
    """``: ping`` between the lines of an event: legal, and fatal to clients that cut at ``data: ``."""
    f = plan.framing
    line = f":{f.space}ping{f.eol}".encode()
    return plan.each(lambda e: replace(e, data=line + plan.encode(e)) if e.kind != "raw" else e)
