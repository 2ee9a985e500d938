"""Lines end in CR."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("cr", "")
def cr(plan: Plan, p: Params) -> Plan:
    """CR instead of LF: legal, hardly ever seen."""
    return replace(plan, framing=replace(plan.framing, eol="\r"))
