"""When a log line says that it was written: the ways in which gateways write a date and a time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

DAY = 86400.0
_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: at for at, name in enumerate(_NAMES, 1)}
_ZONE = r"(?:\s?(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})\b)?"
_DATED = re.compile(
    r"(?P<year>\d{4})[-/](?P<month>\d{2})[-/](?P<day>\d{2})(?:[T ]| - )"
    r"(?P<hour>\d{2}):(?P<minute>\d{2}):(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?" + _ZONE
)
_COMMON = re.compile(
    r"(?P<day>\d{2})/(?P<name>[A-Z][a-z]{2})/(?P<year>\d{4}):(?P<hour>\d{2}):(?P<minute>\d{2}):(?P<second>\d{2})"
    + _ZONE
)
_CLOCK = re.compile(r"(?<![\d:])(?P<hour>\d{2}):(?P<minute>\d{2}):(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?(?![\d:])")


@dataclass(frozen=True, slots=True)
class Moment:
    """``value``: epoch seconds, read as UTC where the line names no zone (``zone`` False); seconds of the day where
    it names no date (``date`` False). ``precision``: seconds, of the last digit that was written."""

    value: float
    zone: bool = True
    date: bool = True
    precision: float = 1.0

    def epoch(self, zone_s: float, near: float) -> float:
        """Epoch seconds, if a clock without a zone is ``zone_s`` ahead of UTC, and a time without a date is the one
        nearest to ``near``."""
        value = self.value if self.zone else self.value - zone_s
        return value if self.date else value + round((near - value) / DAY) * DAY


def moment_in(text: str) -> Moment | None:
    """The first date and time in the text, else the first time of day, else None."""
    found = _DATED.search(text) or _COMMON.search(text)
    if found:
        return _dated(found)
    found = _CLOCK.search(text)
    if not found:
        return None
    seconds = int(found["hour"]) * 3600 + int(found["minute"]) * 60 + int(found["second"])
    return Moment(seconds + _part(found["part"]), False, False, _precision(found["part"]))


def moment_of_number(number: float) -> Moment | None:
    """Epoch seconds, milliseconds, microseconds or nanoseconds, told apart by size (from 2001 to 2286)."""
    for unit in (1.0, 1e3, 1e6, 1e9):
        if 1e9 <= number / unit < 1e10:
            return Moment(number / unit, precision=1.0 if unit == 1.0 and number == int(number) else 1e-3)
    return None


def _dated(found: re.Match[str]) -> Moment | None:
    named = found.groupdict()
    month = _MONTHS.get(named["name"], 0) if named.get("name") else int(named["month"])
    zone = named.get("zone")
    try:
        whole = datetime(
            int(named["year"]), month, int(named["day"]), int(named["hour"]), int(named["minute"]),
            int(named["second"]), tzinfo=_zone(zone),
        )  # fmt: skip
    except ValueError:
        return None
    return Moment(whole.timestamp() + _part(named.get("part")), bool(zone), True, _precision(named.get("part")))


def _zone(text: str | None) -> timezone:
    if not text or text in ("Z", "UTC"):
        return timezone.utc  # noqa: UP017
    shift = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-shift if text[0] == "-" else shift)


def _part(digits: str | None) -> float:
    return int(digits) / 10 ** len(digits) if digits else 0.0


def _precision(digits: str | None) -> float:
    return max(10.0 ** -len(digits), 1e-6) if digits else 1.0
