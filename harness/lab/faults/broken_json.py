"""An event that is no JSON."""

from __future__ import annotations

from harness.lab.edits import nth, with_bytes
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("broken-json", "malformed")
def broken_json(plan: Plan, p: Params) -> Plan:
    """Content event ``at`` (7) loses its last ``by`` (10) characters before its line end: a buffer too small."""
    index = nth(plan, p, 7)
    if index is None:
        return plan
    tail = (plan.framing.eol * 2).encode() if plan.framing.format == "sse" else b"\n"
    by = max(1, p.count("by", 10))
    return with_bytes(plan, index, lambda data: data.removesuffix(tail)[:-by] + tail)
