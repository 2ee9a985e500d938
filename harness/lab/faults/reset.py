"""The connection is reset."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("reset", "reset")
def reset(plan: Plan, p: Params) -> Plan:
    """Sends RST ``after`` (20ms) content event ``at`` (50%): a crashed engine, a firewall that forgot the flow, an
    `option forceclose`. The pause lets the bytes before it arrive."""
    content = plan.content()
    stop = content[p.place("at", "50%", len(content)) - 1] + 1 if content else 0
    cut = plan.kept(stop)
    return replace(cut, end="reset", end_at=cut.end_at + p.ms("after", 20))
