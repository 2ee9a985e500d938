"""Bytes back into a plan: so that faults, which know events, can act on what a gateway wrote."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from harness.lab.gateways.events import Blocks, data_of
from harness.lab.plan import Emission, Plan


def reread(plan: Plan) -> Plan:
    """The plan with one emission an event, classified; bytes and times stay, a write of many events becomes many
    emissions of one time."""
    coded = any(name == "content-encoding" for name, _ in plan.headers)
    if plan.framing.format != "sse" or coded or all(e.kind != "raw" for e in plan.emissions):
        return plan
    blocks, rows = Blocks(), []
    for e in plan.emissions:
        for block in blocks.feed(plan.encode(e)):
            rows.append(classified(replace(e, data=block)))
        last = e
    if blocks.rest:
        rows.append(replace(last, kind="raw", data=blocks.rest))
    return replace(plan, emissions=tuple(rows))


def classified(e: Emission) -> Emission:
    """An emission of one whole event with its kind and payload told from its bytes."""
    text = data_of(e.data or b"")
    if text.strip() == "[DONE]":
        return replace(e, kind="done", payload="[DONE]")
    if not text:
        return replace(e, kind="comment", payload="")
    try:
        payload = json.loads(text)
    except ValueError:
        return replace(e, kind="raw", payload=None)
    return replace(e, kind=kind_of(payload), payload=payload)


def kind_of(payload: Any) -> str:
    """text, reasoning, tool, finish, usage, error, role or raw, by the payload's shape."""
    if not isinstance(payload, dict):
        return "raw"
    if "error" in payload:
        return "error"
    choices = [c for c in payload.get("choices") or () if isinstance(c, dict)]
    if not choices:
        return "usage" if payload.get("usage") else "raw"
    delta = choices[0].get("delta") or {}
    if delta.get("tool_calls"):
        return "tool"
    if delta.get("content") or choices[0].get("text"):
        return "text"
    if delta.get("reasoning") or delta.get("reasoning_content"):
        return "reasoning"
    return "finish" if choices[0].get("finish_reason") else "role"
