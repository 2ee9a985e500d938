"""A byte order mark at the start."""

from __future__ import annotations

from harness.lab.edits import with_bytes
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("bom", "")
def bom(plan: Plan, p: Params) -> Plan:
    """U+FEFF before the first event: legal, one is dropped; a parser that keeps it loses the first event."""
    return with_bytes(plan, 0, lambda data: b"\xef\xbb\xbf" + data) if plan.emissions else plan
