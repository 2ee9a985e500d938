"""One event's JSON object anew, for the few rules that ask for fields which no dialect keeps."""

from __future__ import annotations

from typing import Any

from harness.diagnose.view import View
from harness.wire.payload import parse


def parsed(view: View, event: int) -> dict[str, Any]:
    """The object in an event's data on one line (SSE) or in its record (NDJSON); empty when there is none."""
    raw = view.stream.raw(event)
    value, _ = parse(raw[raw.find(b"{") :].strip()) if b"{" in raw else (None, [])
    return value if isinstance(value, dict) else {}
