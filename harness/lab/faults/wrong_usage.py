"""Usage does not fit the text."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("wrong-usage", "content", "warning")
def wrong_usage(plan: Plan, p: Params) -> Plan:
    """The usage claims ``by`` (-5) tokens more than there are content events, and comes unasked: fewer tokens than
    pieces cannot be, so events were doubled or the meter miscounts (more tokens than pieces may well be)."""
    tokens = len(plan.content())
    usage = {"prompt_tokens": 1, "completion_tokens": tokens + p.count("by", -5)}
    usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    rows = []
    for e in plan.emissions:
        if e.kind == "finish":
            rows.append(e)
            envelope = {k: v for k, v in e.payload.items() if k != "choices"} if isinstance(e.payload, dict) else {}
            rows.append(replace(e, kind="usage", payload={**envelope, "choices": [], "usage": usage}, data=None))
        elif e.kind != "usage":
            rows.append(e)
    return plan.with_emissions(rows)
