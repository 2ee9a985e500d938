"""Lines with a clock before each: what ``… | ts``, a ``while read`` loop or a log viewer makes of a stream."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

_STAMP = re.compile(
    rb"\[?(?:(?P<day>\d{4}-\d\d-\d\d)[T ](?P<clock>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{1,9}))?(?P<zone>Z|[+-]\d\d:?\d\d)?"
    rb"|(?:[A-Z][a-z]{2} [ \d]\d )?(?P<time>\d\d:\d\d:\d\d)(?:\.(?P<rest>\d{1,9}))?"
    rb"|(?P<epoch>\d{1,10})\.(?P<fine>\d{1,9}))\]?(?:[ \t](?P<text>[^\n]*))?"
)
_SHARE = 0.9  # of the first lines that must bear a stamp
_LOOK = 200


@dataclass(frozen=True, slots=True)
class Lines:
    """``rows``: (ms since the first line, the line without its stamp); ``resolution_ms``: of the stamps as written."""

    rows: list[tuple[float, bytes]]
    resolution_ms: float


def stamped_lines(data: bytes) -> Lines | None:
    """The lines without their stamps; None where they have none. Stamps of one kind only, and none runs back twice.

    A time of day alone goes on past midnight. A line without a stamp belongs to the one before it.
    """
    raw = data.split(b"\n")
    if raw and not raw[-1]:
        raw.pop()
    look = raw[:_LOOK]
    if sum(_STAMP.fullmatch(line.rstrip(b"\r")) is not None for line in look) < max(_SHARE * len(look), 1):
        return None
    rows: list[tuple[float, bytes]] = []
    first, last, days, digits, back = 0.0, 0.0, 0, 0, 0
    for line in raw:
        found = _STAMP.fullmatch(line.rstrip(b"\r"))
        if found is None:
            if rows:
                rows.append((rows[-1][0], line + b"\n"))
            continue
        seconds, fraction = _seconds(found)
        seconds += 86_400.0 * days
        if found["time"] and seconds < last - 43_200:
            days, seconds = days + 1, seconds + 86_400.0
        if rows and seconds < last:
            back += 1
        first, last = seconds if not rows else first, seconds
        digits = max(digits, fraction)
        rows.append((round((seconds - first) * 1000, 6), (found["text"] or b"") + b"\n"))
    if back > 1:  # increments (ts -i), or no stamps at all
        return Lines([(0.0, text) for _, text in rows], 1000.0)
    return Lines([(max(t, 0.0), text) for t, text in rows], 1000.0 / 10**digits)


def _seconds(found: re.Match[bytes]) -> tuple[float, int]:
    """Seconds (since 1970, midnight, or the start) and how many digits of a second were written."""
    fraction = found["part"] or found["rest"] or found["fine"] or b""
    part = float(b"0." + fraction) if fraction else 0.0
    if found["epoch"]:
        return int(found["epoch"]) + part, len(fraction)
    hours, minutes, seconds = map(int, (found["clock"] or found["time"]).split(b":"))
    whole = hours * 3600 + minutes * 60 + seconds
    if not found["day"]:
        return whole + part, len(fraction)
    try:
        day = datetime.fromisoformat(found["day"].decode()).replace(tzinfo=UTC).timestamp()
    except ValueError:
        day = 0.0
    return day + whole + part, len(fraction)
