"""Small OpenAI streams and captures of them, for tests of what is made from captures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.capture.model import Capture, End, Head, kind_of, stamped

HEAD = Head(5.0, 200, "1.1", (("content-type", "text/event-stream"),))
DONE = b"data: [DONE]\n\n"
FINISH = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
LAST = FINISH + DONE
"""A good end."""


def event(text: str) -> bytes:
    """One content event."""
    return f'data: {{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}\n\n'.encode()


def captured(hop: str, reads: Sequence[tuple[float, bytes]], **more: Any) -> Capture:
    """What that hop sent, read by read (ms, bytes), whole; it ends 1 ms later. ``more``: fields of the capture."""
    body, times, ends = stamped(reads)
    made = {"kind": kind_of(hop), "wire": "openai", "head": HEAD, "end": End(reads[-1][0] + 1, "complete")}
    return Capture(hop, body=body, times=times, ends=ends, **made | more)
