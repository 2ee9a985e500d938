"""A character is split between two writes."""

from __future__ import annotations

from harness.lab.edits import split
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("utf8-split", "")
def utf8_split(plan: Plan, p: Params) -> Plan:
    """Every content event with a character of several bytes goes out in two writes, cut inside it, ``for`` (20ms)
    apart. Legal: a decoder that is fed as it should be notices nothing."""
    for index in reversed(plan.content()):
        data = plan.encode(plan.emissions[index])
        cut = next((i for i, byte in enumerate(data) if byte & 0xC0 == 0x80), 0)
        plan = split(plan, index, cut, p.ms("for", 20))
    return plan
