"""Tool arguments stop in the middle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.lab.edits import with_payload
from harness.lab.params import Params
from harness.lab.plan import CONTENT_KINDS, Emission, Plan
from harness.lab.registry import fault


def _argument(e: Emission, piece: str, first: bool) -> Emission:
    call: dict[str, Any] = {"index": 0, "function": {"arguments": piece}}
    if first:
        call = {"index": 0, "id": "call-1", "type": "function", "function": {"name": "weather", "arguments": piece}}

    def change(payload: dict[str, Any]) -> None:
        for choice in payload.get("choices") or ():
            choice["delta"] = {"tool_calls": [call]}

    return replace(with_payload(e, change), kind="tool")


def _finish(payload: dict[str, Any]) -> None:
    for choice in payload.get("choices") or ():
        choice["finish_reason"] = "tool_calls"


@fault("tool-cut", "malformed")
def tool_cut(plan: Plan, p: Params) -> Plan:
    """A tool call whose arguments end before the closing brace, then a good finish: max_tokens, or a parser that lost
    the tail."""
    pieces = ('{"', "city", '": "', "Ber", "lin", '"}')
    rows: list[Emission] = []
    sent = 0
    for e in plan.emissions:
        if e.kind in CONTENT_KINDS:
            if sent < len(pieces) - 1:
                rows.append(_argument(e, pieces[sent], sent == 0))
            sent += 1
        elif e.kind == "finish":
            rows.append(with_payload(e, _finish))
        else:
            rows.append(e)
    return plan.with_emissions(rows)
