"""What dialects share: one piece of text for a part of the answer, and numbers for tool calls that bear only ids."""

from __future__ import annotations

from typing import Any

from harness.phrase import phrase
from harness.wire.sink import Sink
from harness.wire.stream import Kind

MOST_CALLS = 10_000


def piece(index: int, part: str, text: Any, kind: Kind, sink: Sink) -> Kind:
    """Add ``text`` to a part (content, reasoning, tool:N …) of choice ``index``: ``kind``, or EMPTY without text."""
    if not isinstance(text, str):
        sink.fault("shape", phrase("{part} is {type}, not text", part=part, type=type(text).__name__))
        return Kind.EMPTY
    if not text:
        return Kind.EMPTY
    sink.piece(index, part, text)
    return kind


def tool(ident: Any, sink: Sink) -> str:
    """The part of the tool call of that id; calls are numbered in the order in which they show."""
    known, key = sink.seen.setdefault("tool-ids", {}), str(ident)[:200]
    number = known.setdefault(key, len(known)) if len(known) < MOST_CALLS else known.get(key, 0)
    return f"tool:{number}"
