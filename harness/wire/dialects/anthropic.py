"""Anthropic's Messages events."""

from __future__ import annotations

import json
from typing import Any

from harness.phrase import phrase
from harness.wire.dialects.parts import piece, tool
from harness.wire.sink import Sink
from harness.wire.stream import Kind

TYPES = frozenset(
    {
        "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
        "message_stop", "ping",
    }
)  # fmt: skip


def event(obj: dict[str, Any], sink: Sink) -> Kind:
    """One event. Blocks of tool use are numbered in the order in which they start."""
    kind = obj["type"]
    if kind == "content_block_delta":
        return _delta(obj, sink)
    if kind == "content_block_start":
        return _block(obj, sink)
    if kind == "content_block_stop":
        return _whole(obj.get("index"), sink)
    if kind == "ping":
        return Kind.HEARTBEAT
    if kind == "message_stop":
        sink.terminator()
        return Kind.TERMINATOR
    if kind == "message_start":
        message = _dict(obj.get("message"))
        sink.identity(message.get("id"), None, message.get("model"), None)
        _usage(message.get("usage"), sink)
        return Kind.ROLE
    if kind == "message_delta":
        told = _usage(obj.get("usage"), sink)
        reason = _dict(obj.get("delta")).get("stop_reason")
        if isinstance(reason, str) and reason:
            sink.finish(0, reason)
            return Kind.FINISH
        return Kind.USAGE if told else Kind.EMPTY
    return Kind.EMPTY


def _delta(obj: dict[str, Any], sink: Sink) -> Kind:
    delta = _dict(obj.get("delta"))
    kind = delta.get("type")
    if kind == "text_delta":
        return piece(0, "content", delta.get("text"), Kind.TEXT, sink)
    if kind == "thinking_delta":
        return piece(0, "reasoning", delta.get("thinking"), Kind.REASONING, sink)
    if kind == "input_json_delta":
        if delta.get("partial_json"):
            sink.seen.pop(("input", str(obj.get("index"))), None)
        return piece(0, tool(obj.get("index"), sink), delta.get("partial_json"), Kind.TOOL, sink)
    if kind in ("signature_delta", "citations_delta"):
        return Kind.EMPTY
    sink.fault("shape", phrase("content_block_delta of type {kind}", kind=str(kind)[:60]))
    return Kind.UNKNOWN


def _block(obj: dict[str, Any], sink: Sink) -> Kind:
    block = _dict(obj.get("content_block"))
    if block.get("name"):
        if isinstance(block.get("input"), dict) and block["input"]:
            sink.seen["input", str(obj.get("index"))] = block["input"]
        sink.work(done=False)
        sink.name(0, tool(obj.get("index"), sink), block["name"], block.get("id"))
        return Kind.TOOL
    if str(block.get("type")).endswith("_tool_result"):
        sink.work(done=True)
    text, thought = block.get("text"), block.get("thinking")
    if isinstance(text, str) and text:
        return piece(0, "content", text, Kind.TEXT, sink)
    if isinstance(thought, str) and thought:
        return piece(0, "reasoning", thought, Kind.REASONING, sink)
    return Kind.EMPTY


def _whole(index: Any, sink: Sink) -> Kind:
    """The end of a block: of a tool's input that stood whole at its start, unless pieces told it anew."""
    told = sink.seen.pop(("input", str(index)), None)
    if told is None:
        return Kind.EMPTY
    return piece(0, tool(index, sink), json.dumps(told, ensure_ascii=False), Kind.TOOL, sink)


def _usage(counts: Any, sink: Sink) -> bool:
    if not isinstance(counts, dict):
        return False
    sink.usage(counts.get("input_tokens"), counts.get("output_tokens"), None)
    return True


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
