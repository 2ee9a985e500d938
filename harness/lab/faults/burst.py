"""The whole answer in one write."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("burst", "burst")
def burst(plan: Plan, p: Params) -> Plan:
    """Everything in one write ``for`` (0) after the last token: an engine or a middleware that collects the body."""
    if not plan.emissions:
        return plan
    at = plan.emissions[-1].at + p.ms("for", 0)
    whole = replace(plan.emissions[-1], at=at, kind="raw", data=plan.body())
    return replace(plan, emissions=(whole,), head_at=at, end_at=at)
