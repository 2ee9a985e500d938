"""A body that is no stream: one JSON document or a page. Its facts, since it has no events."""

from __future__ import annotations

import re
from typing import Any

from harness.wire.dialects import errors
from harness.wire.payload import Broken, clean, parse
from harness.wire.sink import Sink
from harness.wire.stream import Stream

LIMIT = 32 * 1024 * 1024
_TITLE = re.compile(rb"<(?:title|h1)[^>]*>(.*?)</(?:title|h1)>", re.I | re.S)


def json_body(body: bytes, stream: Stream, sink: Sink) -> None:
    """Facts ``error`` ({message, code}), ``text`` (of a whole answer), ``finish``, ``usage``; channels hold texts."""
    value, faults = parse(body) if len(body) <= LIMIT else (Broken("too long"), [("line-limit", f"over {LIMIT} bytes")])
    sink.start, sink.dirty = 0, bool(faults)
    for code, detail in faults:
        sink.fault(code, detail, event=False)
    if isinstance(value, Broken):
        return
    if isinstance(value, list) and value:
        value = value[0]
    if (told := errors.told(value)) is not None:
        stream.facts["error"] = {"message": clean(told[0]), "code": clean(told[1], 200)}
    if isinstance(value, dict):
        _answer(value, stream, sink)
    sink.end()


def text_body(body: bytes, stream: Stream) -> None:
    """Facts ``title`` (of a page) and ``excerpt``."""
    if title := _TITLE.search(body[:100_000]):
        stream.facts["title"] = clean(" ".join(title[1].decode("utf-8", "replace").split()), 200)
    stream.facts["excerpt"] = body[:500].decode("utf-8", "replace")


def _answer(value: dict[str, Any], stream: Stream, sink: Sink) -> None:
    choices = value.get("choices")
    if isinstance(choices, list):
        stream.wire = stream.wire or "openai"
        for choice in choices:
            if isinstance(choice, dict):
                _choice(choice, stream, sink)
    elif isinstance(message := value.get("message"), dict) and "done" in value:
        stream.wire = stream.wire or "ollama"
        _put(0, "content", message.get("content"), sink)
        _put(0, "reasoning", message.get("thinking"), sink)
        _fact("finish", value.get("done_reason"), stream)
    elif isinstance(response := value.get("response"), str) and "done" in value:
        stream.wire = stream.wire or "ollama"
        _put(0, "content", response, sink)
    elif value.get("object") == "response" or value.get("type") == "message":
        _items(value, stream, sink)
    if isinstance(usage := value.get("usage"), dict):
        stream.facts["usage"] = {k: v for k, v in usage.items() if isinstance(v, int)}
    if isinstance(nodes := value.get("responseData"), list):
        stream.facts["nodes_count"] = len(nodes)
    if (0, "content") in sink.index:
        stream.facts["text"] = "".join(sink.parts[sink.index[0, "content"]])


def _choice(choice: dict[str, Any], stream: Stream, sink: Sink) -> None:
    index = choice.get("index", 0)
    index = index if type(index) is int else 0
    message = choice.get("message")
    if isinstance(message, dict):
        _put(index, "content", message.get("content"), sink, always=True)
        _put(index, "reasoning", message.get("reasoning_content") or message.get("reasoning"), sink)
        calls = message.get("tool_calls")
        for number, call in enumerate(calls if isinstance(calls, list) else []):
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                sink.name(index, f"tool:{number}", function.get("name"), call.get("id"))
                _put(index, f"tool:{number}", function.get("arguments"), sink)
    else:
        _put(index, "content", choice.get("text"), sink)
    _fact("finish", choice.get("finish_reason"), stream)


def _items(value: dict[str, Any], stream: Stream, sink: Sink) -> None:
    """Responses (output[].content[].text) and Messages (content[].text)."""
    stream.wire = stream.wire or ("responses" if value.get("object") == "response" else "anthropic")
    items = value.get("output") if "output" in value else [value]
    for item in items if isinstance(items, list) else []:
        content = item.get("content") if isinstance(item, dict) else None
        for part in content if isinstance(content, list) else []:
            if isinstance(part, dict):
                _put(0, "content", part.get("text"), sink)
    _fact("finish", value.get("stop_reason") or value.get("status"), stream)


def _put(choice: int, part: str, text: Any, sink: Sink, always: bool = False) -> None:
    """A channel's text without a piece, for there is no event that it could belong to."""
    if not isinstance(text, str) or not (text or always):
        return
    if (number := sink.channel(choice, part)) >= 0:
        sink.parts[number].append(clean(text, len(text)) if sink.dirty else text)


def _fact(name: str, value: Any, stream: Stream) -> None:
    if isinstance(value, str) and value and name not in stream.facts:
        stream.facts[name] = clean(value, 200)
