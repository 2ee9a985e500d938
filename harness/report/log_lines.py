"""Lines of gateway logs beside an answer: as JSON, and as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from harness.logs.match import Excerpt, Shown
from harness.report.columns import fill, plain

LONGEST = 400  # characters of a line on a terminal; the JSON has all that was kept


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
            "note": one.note or None,
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
        "means": shown.means or None,
        "fields": dict(line.fields),
        "text": line.text,
    }


def as_text(found: Sequence[Excerpt], width: int = 80) -> str:
    """One block a log and exchange, ``»`` before lines that bear its id, ``≈`` before times of whole seconds, and what
    is known of a line under it. Exchanges of which a log says nothing are left out where it says something of others.
    """
    telling = {one.source for one in found if one.shown}
    told = [one for one in found if one.shown or one.source not in telling]
    return "".join("\n" + "\n".join(_block(one, width)) + "\n" for one in told)


def _when(shown: Shown) -> str:
    if shown.after_s is None:
        return "        –"
    coarse = shown.line.moment is None or shown.line.moment.precision >= 1
    return f"≈{shown.after_s:+.1f}".rjust(9) if coarse else f"{shown.after_s:+9.3f}"


def _block(one: Excerpt, width: int) -> list[str]:
    number = "" if one.exchange.repeat is None else f" #{one.exchange.repeat}"
    how = {"id": "found by id", "duration": "found by how long it took", "time": "found by time alone"}
    clock = f", its clock {one.offset_s:+.3f} s" if one.offset_s else ""
    name = f"log {plain(one.source)}" + (f" ({one.format})" if one.format else "")
    about = f"{name}: {plain(one.exchange.hop)}{number}, {how.get(one.matched, 'nothing found')}{clock}"
    rows = fill(about, width)
    for shown in one.shown:
        when = _when(shown)
        text = plain(shown.line.text)
        text = text if len(text) <= LONGEST else text[:LONGEST] + "…"
        rows.append(f"{'»' if shown.by_id else ' '}{when} s  {text}")
        rows += fill(f"= {shown.means}", width, " " * 13) if shown.means else []
    if one.left_out > 0:
        rows.append(f"  and {one.left_out} more lines of that time")
    if one.note:
        rows += fill(plain(one.note), width, "  ")
    return rows
