"""Silence between the last token and the finish."""

from __future__ import annotations

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("late-finish", "stall", "warning")
def late_finish(plan: Plan, p: Params) -> Plan:
    """The last token comes in time, the finish and ``[DONE]`` ``for`` (4s) later: post-processing, a guardrail over the
    whole answer."""
    content = plan.content()
    return plan.shifted(content[-1] + 1, p.ms("for", 4000)) if content else plan
