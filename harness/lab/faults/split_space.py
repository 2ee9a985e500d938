"""A write ends inside a string, on a space."""

from __future__ import annotations

from harness.lab.edits import split, text_of
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("split-space", "")
def split_space(plan: Plan, p: Params) -> Plan:
    """Content events go out in two writes, the first ending on a space of the text: legal, and fatal to clients that
    strip what they read."""
    for index in reversed(plan.content()):
        text = text_of(plan.emissions[index])
        data = plan.encode(plan.emissions[index])
        place = data.rfind(text.encode()) if " " in text else -1
        cut = place + text.encode().index(b" ") + 1 if place >= 0 else 0
        plan = split(plan, index, cut, p.ms("for", 5))
    return plan
