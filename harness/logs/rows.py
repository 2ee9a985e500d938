"""What gateway logs say of an answer's exchanges, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from harness.logs.match import Excerpt, Shown
from harness.phrase import term


def as_json(found: Sequence[Excerpt]) -> list[dict[str, Any]]:
    """The ``logs`` of an answer: [{file, format, hop, repeat, exchange, matched, offset_ms, lines, left_out, note}].

    ``matched``: ``id``, ``duration``, ``time`` or null. A line has ``byte`` (where it begins), ``at`` on our clock,
    ``after_ms`` since the request was sent, ``precision_ms``, ``by_id``, ``level``, ``means``, ``fields``, ``text``.
    """
    return [
        {
            "file": one.source,
            "format": one.format,
            "hop": one.exchange.hop,
            "repeat": one.exchange.repeat,
            "exchange": one.exchange.key,
            "matched": one.matched or None,
            "offset_ms": round(one.offset_s * 1e3, 3),
            "lines": [_line(shown) for shown in one.shown],
            "left_out": one.left_out,
            "note": term(one.note) if one.note else None,
        }
        for one in found
    ]


def _line(shown: Shown) -> dict[str, Any]:
    line = shown.line
    at = None if shown.at is None else datetime.fromtimestamp(shown.at, UTC).isoformat(timespec="milliseconds")
    return {
        "byte": line.byte,
        "at": at,
        "after_ms": None if shown.after_s is None else round(shown.after_s * 1e3, 1),
        "precision_ms": line.moment.precision * 1e3 if line.moment else None,
        "by_id": shown.by_id,
        "level": line.level or None,
        "means": term(shown.means) if shown.means else None,
        "fields": dict(line.fields),
        "text": line.text,
    }
