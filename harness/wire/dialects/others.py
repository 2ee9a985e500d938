"""Streams of chat front ends and agents under ``wire: other``: the AI SDK's parts, Dify's events."""

from __future__ import annotations

from typing import Any

from harness.wire.dialects.parts import piece
from harness.wire.sink import Sink
from harness.wire.stream import Kind

_PARTS = {"text-delta": ("content", Kind.TEXT), "reasoning-delta": ("reasoning", Kind.REASONING)}
_AROUND = frozenset(
    {"start", "start-step", "finish-step", "text-start", "text-end", "reasoning-start", "reasoning-end"}
)
_ANSWERS = frozenset({"message", "agent_message"})


def event(obj: dict[str, Any], sink: Sink) -> Kind:
    """One event of a dialect that no field of the contract names; UNKNOWN when it is none of these."""
    kind, name = (value if isinstance(value := obj.get(key), str) else "" for key in ("type", "event"))
    if kind in _PARTS:
        part, found = _PARTS[kind]
        return piece(0, part, obj.get("delta", ""), found, sink)
    if kind in _AROUND:
        return Kind.EMPTY
    if kind == "finish":
        reason = obj.get("finishReason")
        sink.finish(0, reason if isinstance(reason, str) and reason else "stop")
        return Kind.FINISH
    if name in _ANSWERS and isinstance(obj.get("answer"), str):
        return piece(0, "content", obj["answer"], Kind.TEXT, sink)
    if name == "message_end":
        sink.finish(0, "stop")
        sink.terminator()
        return Kind.TERMINATOR
    return Kind.UNKNOWN
