"""The head comes at once, the first token late."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("late-first-token", "first-byte")
def late_first_token(plan: Plan, p: Params) -> Plan:
    """Head and role chunk at once, everything else ``for`` (12s) later: a long prefill behind an eager server."""
    content = plan.content()
    return replace(plan.shifted(content[0], p.ms("for", 12_000)), head_at=0.0) if content else plan
