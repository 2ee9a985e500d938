"""Which dialect an event speaks, told by its shape; the wire that was declared decides nothing but the complaint."""

from __future__ import annotations

from typing import Any

from harness.phrase import phrase
from harness.wire.dialects import anthropic, errors, fastgpt, ollama, openai, others, responses
from harness.wire.sink import Sink
from harness.wire.stream import Kind

_FAMILY = {"openai": "openai", "fastgpt": "openai"}


def classify(obj: Any, name: str, data: bytes, sink: Sink) -> Kind:
    """Record one event's JSON value in the sink and say what it is for. ``name`` is the SSE event name or ""."""
    if type(obj) is dict:
        if "choices" in obj:
            if not sink.settled or name or obj.get("id") == "":
                _speaks("fastgpt" if name in fastgpt.TOLD or _blank(obj) else "openai", sink)
            return openai.chunk(obj, sink)
        return _other(obj, name, data, sink)
    if name in fastgpt.TOLD:
        _speaks("fastgpt", sink)
        return fastgpt.event(name, obj, sink)
    if name == "error":
        errors.named(data, obj, sink)
        return Kind.ERROR
    if sink.stream.wire not in ("", "other"):
        found = "null" if obj is None else type(obj).__name__
        sink.fault("shape", phrase("the data is {found}, not an object", found=found))
    return Kind.UNKNOWN


def _other(obj: dict[str, Any], name: str, data: bytes, sink: Sink) -> Kind:
    kind = obj.get("type")
    if isinstance(kind, str):
        if kind.startswith("response."):
            _speaks("responses", sink)
            return responses.event(obj, sink)
        if kind in anthropic.TYPES:
            _speaks("anthropic", sink)
            return anthropic.event(obj, sink)
    if name == "error":
        errors.named(data, obj, sink)
        return Kind.ERROR
    if "done" in obj and ("message" in obj or "response" in obj or "model" in obj):
        _speaks("ollama", sink)
        return ollama.record(obj, sink)
    if name in fastgpt.TOLD:
        _speaks("fastgpt", sink)
        return fastgpt.event(name, obj, sink)
    if errors.found(obj, sink):
        return Kind.ERROR
    if obj.get("usage") and not name and openai.usage(obj["usage"], sink):
        return Kind.USAGE
    return others.event(obj, sink) if sink.stream.wire in ("", "other") else Kind.UNKNOWN


def _blank(obj: dict[str, Any]) -> bool:
    """FastGPT blanks what OpenAI fills in."""
    return obj.get("id") == "" and obj.get("object") == "" and obj.get("model") == ""


def _speaks(wire: str, sink: Sink) -> None:
    stream = sink.stream
    if stream.wire == wire or sink.seen.get("wire") == wire:
        sink.settled = stream.wire in _FAMILY and wire in _FAMILY
        return
    sink.seen["wire"] = wire
    if sink.seen.get("told"):  # a wire was declared
        if _FAMILY.get(stream.wire, stream.wire) != _FAMILY.get(wire, wire) and stream.wire != "other":
            sink.fault("shape", phrase("the wire is {wire}, the event is {other}'s", wire=stream.wire, other=wire))
    elif not stream.wire or (stream.wire == "openai" and wire == "fastgpt"):
        stream.wire = wire
    sink.settled = stream.wire in _FAMILY and wire in _FAMILY
