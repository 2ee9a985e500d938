"""The connection closes before the framing allows."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("truncate", "truncation")
def truncate(plan: Plan, p: Params) -> Plan:
    """Closes (FIN) after content event ``at`` (50%) without the last chunk, ``after`` (0) later: a worker killed, a
    proxy's total timeout."""
    content = plan.content()
    if not content:
        return replace(plan, end="cut")
    cut = plan.kept(content[p.place("at", "50%", len(content)) - 1] + 1)
    return replace(cut, end="cut", end_at=cut.end_at + p.ms("after", 0))
