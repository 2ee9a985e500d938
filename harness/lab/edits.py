"""Small edits that faults share: find the nth content event, read and change an event's text in any dialect."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.lab.params import Params
from harness.lab.plan import Emission, Plan


def nth(plan: Plan, p: Params, default: str | int = "50%") -> int | None:
    """Index of the emission that is content event number ``at`` (1-based, or a share); None without content."""
    content = plan.content()
    return content[p.place("at", default, len(content)) - 1] if content else None


def chosen(plan: Plan, p: Params, at: int, every: int) -> list[int]:
    """Indices of content event ``at`` and every ``every``-th after it (0: that one alone)."""
    content = plan.content()
    if not content:
        return []
    first, step = p.place("at", at, len(content)) - 1, p.count("every", every)
    return content[first::step] if step > 0 else [content[first]]


def text_slot(payload: Any) -> tuple[dict[str, Any], str] | None:
    """The object and key that hold the event's text: OpenAI chat and completions, Ollama."""
    if not isinstance(payload, dict):
        return None
    for choice in payload.get("choices") or ():
        delta = choice.get("delta")
        if isinstance(delta, dict):
            key = next((k for k in ("content", "reasoning", "reasoning_content") if delta.get(k)), "content")
            return delta, key
        if "text" in choice:
            return choice, "text"
    message = payload.get("message")
    if isinstance(message, dict):
        return message, "thinking" if message.get("thinking") else "content"
    return (payload, "response") if "response" in payload else None


def text_of(emission: Emission) -> str:
    slot = text_slot(emission.payload)
    return str(slot[0].get(slot[1]) or "") if slot else ""


def with_text(emission: Emission, change: Callable[[str], str]) -> Emission:
    """The emission with its text changed; others come back as they are."""
    payload = copy.deepcopy(emission.payload)
    slot = text_slot(payload)
    if slot is None:
        return emission
    slot[0][slot[1]] = change(str(slot[0].get(slot[1]) or ""))
    return replace(emission, payload=payload, data=None)


def with_payload(emission: Emission, change: Callable[[dict[str, Any]], None]) -> Emission:
    """The emission with its JSON object changed in place on a copy; others come back as they are."""
    if not isinstance(emission.payload, dict):
        return emission
    payload = copy.deepcopy(emission.payload)
    change(payload)
    return replace(emission, payload=payload, data=None)


def with_bytes(plan: Plan, index: int, change: Callable[[bytes], bytes]) -> Plan:
    """The plan with one emission's bytes changed."""
    rows = list(plan.emissions)
    rows[index] = replace(rows[index], data=change(plan.encode(rows[index])))
    return plan.with_emissions(rows)


def split(plan: Plan, index: int, cut: int, pause: float) -> Plan:
    """One emission in two writes: the first ``cut`` bytes, and ``pause`` ms later the rest. Nothing else moves."""
    e = plan.emissions[index]
    data = plan.encode(e)
    if not 0 < cut < len(data):
        return plan
    head = replace(e, kind="raw", data=data[:cut])
    tail = replace(e, at=e.at + pause, data=data[cut:])
    return plan.with_emissions([*plan.emissions[:index], head, tail, *plan.emissions[index + 1 :]])


def in_order(plan: Plan) -> Plan:
    """Times made to rise: an emission is never due before the one that is written before it."""
    rows, latest = [], 0.0
    for e in plan.emissions:
        latest = max(latest, e.at)
        rows.append(replace(e, at=latest))
    return plan.with_emissions(rows)
