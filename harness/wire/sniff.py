"""What a body is (SSE, NDJSON, one JSON document, text), told by its first bytes; headers only break ties."""

from __future__ import annotations

import re

import orjson

_FIELD = re.compile(rb"(?:data|event|id|retry)(?::|\r|\n)|:")
_FIELDS = (b"data:", b"event:", b"id:", b"retry:")
ENOUGH = 65_536  # bytes without a line end: one document, not a stream


def framing(start: bytes, content_type: str = "", wire: str = "", *, whole: bool = False) -> str:
    """``sse``, ``ndjson``, ``json``, ``text``, ``none``, or "" while more bytes are needed.

    ``whole``: no more bytes come, an answer is due.
    """
    body = start.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    declared = content_type.partition(";")[0].strip().lower()
    if not body:
        return ("none" if not start else "sse" if declared == "text/event-stream" else "text") if whole else ""
    if _FIELD.match(body):
        return "sse"
    if body[0] in b"{[":
        return _json(body, declared, wire, whole)
    if any(field.startswith(body) for field in _FIELDS) and not whole:
        return ""
    if declared == "text/event-stream" and body[0] != 60 and (whole or b"\n" in body or len(body) > ENOUGH):
        return "sse" if b"\ndata" in body or b"\rdata" in body or body[0] != 60 else "text"
    if declared in ("application/x-ndjson", "application/jsonl", "application/ndjson") and body[0] != 60:
        return "ndjson"
    return "text" if whole or body[0] == 60 or b"\n" in body or len(body) > ENOUGH else ""


def _json(body: bytes, declared: str, wire: str, whole: bool) -> str:
    if declared in ("application/x-ndjson", "application/jsonl", "application/ndjson"):
        return "ndjson"
    line, ended, rest = body.partition(b"\n")
    if not ended:
        if not whole and len(body) <= ENOUGH:
            return ""
        return "ndjson" if whole and _record(line, wire) else "json"
    if _record(line, wire):
        return "ndjson"
    if b"\ndata:" in rest:  # a stray JSON line before the events
        return "sse"
    return "json"


def _record(line: bytes, wire: str) -> bool:
    """One of Ollama's records, or any object where the wire is Ollama's."""
    try:
        obj = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return isinstance(obj, dict) and ("done" in obj or wire == "ollama")


def wire_of(url: str) -> str:
    """The wire that a request's path suggests, or ""."""
    path = url.partition("?")[0].rstrip("/")
    for end, wire in (
        ("/chat/completions", "openai"),
        ("/completions", "openai"),
        ("/api/chat", "ollama"),
        ("/api/generate", "ollama"),
        ("/responses", "responses"),
        ("/messages", "anthropic"),
    ):
        if path.endswith(end):
            return wire
    return ""
