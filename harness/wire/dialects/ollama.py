"""Ollama's native records: /api/chat and /api/generate."""

from __future__ import annotations

from typing import Any

import orjson

from harness.wire.dialects import errors
from harness.wire.dialects.parts import piece
from harness.wire.sink import RANK, Sink
from harness.wire.stream import Kind

_DONE = (
    "done_reason", "total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count",
    "eval_duration",
)  # fmt: skip


def record(obj: dict[str, Any], sink: Sink) -> Kind:
    """One record with ``done`` (true or false); the last one ends the stream and bears durations in ns."""
    sink.identity(None, None, obj.get("model"), None)
    message = obj.get("message")
    if isinstance(message, dict):
        kind = _text("content", message.get("content"), Kind.TEXT, sink)
        kind = min(kind, _text("reasoning", message.get("thinking"), Kind.REASONING, sink), key=RANK.__getitem__)
        if isinstance(calls := message.get("tool_calls"), list) and calls:
            kind = min(kind, _calls(calls, sink), key=RANK.__getitem__)
        if kind is Kind.EMPTY and message.get("role") and "role" not in sink.seen and not obj.get("done"):
            kind = Kind.ROLE
        sink.seen["role"] = True
    else:
        kind = _text("content", obj.get("response"), Kind.TEXT, sink)
        kind = min(kind, _text("reasoning", obj.get("thinking"), Kind.REASONING, sink), key=RANK.__getitem__)
    if obj.get("done") is True:
        reason = obj.get("done_reason")
        sink.finish(0, reason if isinstance(reason, str) and reason else "stop")
        sink.terminator()
        sink.fact("ollama", {name: obj[name] for name in _DONE if isinstance(obj.get(name), int | float | str)})
        prompt, completion = obj.get("prompt_eval_count"), obj.get("eval_count")
        if prompt is not None or completion is not None:
            total = prompt + completion if isinstance(prompt, int) and isinstance(completion, int) else None
            sink.usage(prompt, completion, total)
        kind = Kind.TERMINATOR if kind is Kind.EMPTY else kind
    if obj.get("error") and errors.found(obj, sink):
        kind = Kind.ERROR
    return kind


def _text(part: str, text: Any, kind: Kind, sink: Sink) -> Kind:
    return piece(0, part, text, kind, sink) if text else Kind.EMPTY


def _calls(calls: list[Any], sink: Sink) -> Kind:
    """Whole calls, arguments as an object; numbered in the order in which they come."""
    kind = Kind.EMPTY
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            sink.fault("shape", "a tool call without function")
            continue
        number = sink.seen["tools"] = sink.seen.get("tools", -1) + 1
        part = f"tool:{number}"
        sink.name(0, part, function.get("name"), call.get("id"))
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            sink.fault("shape", "the arguments of a tool call are a text, no object")
        text = arguments if isinstance(arguments, str) else "" if arguments is None else _compact(arguments)
        if text:
            sink.piece(0, part, text)
        kind = Kind.TOOL
    return kind


def _compact(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # lone surrogates, integers beyond 64 bits
        return str(value)
