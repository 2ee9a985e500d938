"""Bytes that are no UTF-8."""

from __future__ import annotations

from harness.lab.edits import nth, text_of, with_bytes
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("invalid-utf8", "encoding")
def invalid_utf8(plan: Plan, p: Params) -> Plan:
    """Content event ``at`` (7) holds the first half of a character alone: text cut by bytes instead of characters."""
    index = nth(plan, p, 7)
    if index is None:
        return plan
    text = text_of(plan.emissions[index]).encode()
    return with_bytes(plan, index, lambda data: data.replace(text, text + b"\xe6\xbc", 1) if text else data)
