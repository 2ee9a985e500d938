"""OpenAI's Responses API events (``type`` starts with ``response.``)."""

from __future__ import annotations

from typing import Any

from harness.wire.dialects import errors
from harness.wire.dialects.parts import piece, tool
from harness.wire.sink import Sink
from harness.wire.stream import Kind

_TEXT = {
    "response.output_text.delta": ("content", Kind.TEXT),
    "response.refusal.delta": ("refusal", Kind.TEXT),
    "response.reasoning_text.delta": ("reasoning", Kind.REASONING),
    "response.reasoning_summary_text.delta": ("reasoning", Kind.REASONING),
    "response.audio.transcript.delta": ("content", Kind.TEXT),
    "response.audio.delta": ("audio", Kind.TEXT),
}
_FREE = frozenset({"response.custom_tool_call_input.delta", "response.code_interpreter_call_code.delta"})
_TOOL = _FREE | {"response.function_call_arguments.delta", "response.mcp_call_arguments.delta"}
_LAST = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})
_KNOWN = ("response.output_", "response.content_part.", "response.reasoning", "response.function_call", "response.in_")
_SILENT = frozenset({"response.created", "response.queued", "response.refusal.done", "response.audio.done"})


def event(obj: dict[str, Any], sink: Sink) -> Kind:
    """One event; the last one (completed, incomplete, failed) finishes and ends the stream."""
    kind = obj["type"]
    if found := _TEXT.get(kind):
        return piece(0, found[0], obj.get("delta"), found[1], sink)
    if kind in _TOOL:
        ident = obj.get("item_id") or obj.get("output_index")
        sink.seen["arguments", str(ident)] = True
        part = tool(ident, sink)
        if kind in _FREE:
            sink.free_form(part)
        return piece(0, part, obj.get("delta"), Kind.TOOL, sink)
    if kind == "response.function_call_arguments.done":
        return _whole(obj.get("item_id") or obj.get("output_index"), obj.get("arguments"), sink)
    response = obj.get("response")
    if isinstance(response, dict):
        sink.identity(response.get("id"), response.get("created_at"), response.get("model"), None)
        if kind in _LAST:
            return _end(kind, response, sink)
        return Kind.EMPTY
    item = obj.get("item")
    if kind.endswith(("_call.in_progress", "_call.searching", "_call.interpreting", "_call.generating")):
        sink.work(done=False)
    elif kind.endswith(("_call.completed", "_call.failed")):
        sink.work(done=True)
    if kind == "response.output_item.added" and isinstance(item, dict) and item.get("name"):
        sink.name(0, tool(item.get("id") or obj.get("output_index"), sink), item["name"], item.get("call_id"))
        return Kind.TOOL
    return Kind.EMPTY if kind in _SILENT or kind.startswith(_KNOWN) else Kind.UNKNOWN


def _whole(ident: Any, arguments: Any, sink: Sink) -> Kind:
    """Arguments that come whole, where no piece of them came."""
    if not isinstance(arguments, str) or not arguments or sink.seen.get(("arguments", str(ident))):
        return Kind.EMPTY
    sink.seen["arguments", str(ident)] = True
    return piece(0, tool(ident, sink), arguments, Kind.TOOL, sink)


def _end(kind: str, response: dict[str, Any], sink: Sink) -> Kind:
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    if isinstance(counts := response.get("usage"), dict):
        inner = counts.get("output_tokens_details")
        reasoning = inner.get("reasoning_tokens") if isinstance(inner, dict) else None
        sink.usage(counts.get("input_tokens"), counts.get("output_tokens"), counts.get("total_tokens"), reasoning)
    sink.terminator()
    if kind == "response.failed":
        if not errors.found(response, sink):
            sink.error("the response failed", "failed")
        return Kind.ERROR
    status = kind.removeprefix("response.")
    sink.finish(0, reason if isinstance(reason, str) and reason else status)
    return Kind.TERMINATOR
