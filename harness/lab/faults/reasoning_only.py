"""It thinks and never answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.lab.edits import with_payload
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("reasoning-only", "content", "warning")
def reasoning_only(plan: Plan, p: Params) -> Plan:
    """All the text comes as reasoning and no content follows, then a good finish: a template that never closes its
    thinking, a budget spent on thought."""

    def move(payload: dict[str, Any]) -> None:
        for choice in payload.get("choices") or ():
            delta = choice.get("delta") or {}
            if delta.get("content"):
                delta[p.text("field", "reasoning")] = delta.pop("content")

    rows = (replace(with_payload(e, move), kind="reasoning") if e.kind == "text" else e for e in plan.emissions)
    return plan.with_emissions(rows)
