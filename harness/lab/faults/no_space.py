"""No space after the colon."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("no-space", "")
def no_space(plan: Plan, p: Params) -> Plan:
    """``data:{…}``: legal; gateways that look for ``data: `` skip every line."""
    return replace(plan, framing=replace(plan.framing, space=""))
