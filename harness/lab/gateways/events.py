"""Cut a byte stream into events for gateways that parse: blocks up to the blank line, of LF or CRLF."""

from __future__ import annotations

import json
import re
from typing import Any

_BLANK = re.compile(rb"\r?\n\r?\n")


class Blocks:
    """Feed bytes, get whole blocks with their blank lines; :attr:`rest` is what is not whole yet."""

    def __init__(self) -> None:
        self.rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        self.rest += data
        found, start = [], 0
        for match in _BLANK.finditer(self.rest):
            found.append(self.rest[start : match.end()])
            start = match.end()
        self.rest = self.rest[start:]
        return found


def data_of(block: bytes) -> str:
    """The data lines of a block, joined; empty for comments."""
    lines = block.replace(b"\r\n", b"\n").split(b"\n")
    parts = [line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:")]
    return b"\n".join(parts).decode("utf-8", "replace")


def payload_of(block: bytes) -> Any:
    """The JSON of a block, or None (``[DONE]``, comments, broken JSON)."""
    try:
        return json.loads(data_of(block))
    except ValueError:
        return None


def has_content(payload: Any) -> bool:
    """Whether a chunk carries text, reasoning or tool arguments."""
    if not isinstance(payload, dict):
        return False
    deltas = [c.get("delta") or {} for c in payload.get("choices") or () if isinstance(c, dict)]
    return any(d.get(k) for d in deltas for k in ("content", "reasoning", "reasoning_content", "tool_calls"))
