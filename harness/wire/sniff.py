"""What a body is (SSE, NDJSON, one JSON document, text), told by its first bytes; headers only break ties."""

from __future__ import annotations

import re

import orjson

_BOM = b"\xef\xbb\xbf"
_FIELD = re.compile(rb"(?:data|event|id|retry|error)(?::|\r|\n)|:")
_PAGE = re.compile(rb"<(?:!doctype|html|\?xml)", re.I)
_EVENT = re.compile(rb"[\r\n](?:data|event): ?[\[{\w]")
_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b"error:")
_NDJSON = ("application/x-ndjson", "application/jsonl", "application/ndjson")
ENOUGH = 65_536  # bytes that are looked at; a first line longer than this is one document, not a stream


def framing(start: bytes, content_type: str = "", wire: str = "", *, whole: bool = False) -> str:
    """``sse``, ``ndjson``, ``json``, ``text``, ``none``, or "" while more bytes are needed.

    ``whole``: no more bytes come, an answer is due. More bytes never change an answer that was given.
    """
    body = start.removeprefix(_BOM).lstrip(b" \t\r\n")
    declared = content_type.partition(";")[0].strip().lower()
    whole = whole or len(start) > ENOUGH
    if not whole and len(start) < 3 and _BOM.startswith(start):
        return ""
    if not body:
        return ("none" if not start else "sse" if declared == "text/event-stream" else "text") if whole else ""
    if _FIELD.match(body):
        return "sse"
    if not whole and any(field.startswith(body) for field in _FIELDS):
        return ""
    if declared in _NDJSON and body[0] != 60:
        return "ndjson"
    if body[0] in b"{[":
        return _json(body[:ENOUGH], wire, whole)
    if declared == "text/event-stream":
        return "sse" if body[0] != 60 else _markup(body, whole)
    return "text"


def _markup(body: bytes, whole: bool) -> str:
    """Markup under the type of a stream: a page, unless events follow what a script said before them."""
    if _PAGE.match(body):
        return "text"
    if _EVENT.search(body):
        return "sse"
    return "text" if whole else ""


def _json(body: bytes, wire: str, whole: bool) -> str:
    line, ended, _ = body.partition(b"\n")
    if not ended and not whole:
        return ""
    return "ndjson" if _record(line, wire) else "json"


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
