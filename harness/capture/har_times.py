"""Times in a HAR entry: when the request went out, when head and body came."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from harness.capture.fields import Object, Place, mapping, number, text

BEFORE = ("blocked", "dns", "connect")  # `ssl` is a part of `connect`


@dataclass(frozen=True, slots=True)
class EntryTimes:
    """``sent``: UTC moment at which the request went out, None when unknown; the others in ms since then."""

    sent: datetime | None
    head: float
    end: float

    def since(self, stamp: float) -> float:
        """A message's ``time`` as ms since the request: seconds since 1970 (Chrome), or ms, or s since the start."""
        if self.sent is None or stamp < 1e8:
            return stamp * 1000.0
        seconds = stamp / 1000.0 if stamp > 1e11 else stamp
        return round((seconds - self.sent.timestamp()) * 1000.0, 3)


def entry_times(place: Place, entry: Object) -> EntryTimes:
    """The times of one entry; what is missing or -1 counts as zero. Raises CaptureError on what is no time."""
    timings = mapping(place, entry, "timings")

    def part(key: str) -> float:
        return max(number(place, {key: timings.get(key) or 0.0}, key), 0.0)

    started = moment(place, text(place, {"at": entry.get("startedDateTime") or ""}, "at"))
    before = sum(part(key) for key in BEFORE)
    head = part("send") + part("wait")
    end = head + part("receive")
    if end == 0.0:
        end = max(number(place, {"time": entry.get("time") or 0.0}, "time") - before, 0.0)
    return EntryTimes(None if started is None else started + timedelta(milliseconds=min(before, 1e9)), head, end)


def moment(place: Place, value: str) -> datetime | None:
    """An ISO 8601 time as UTC; None for an empty one."""
    if not value:
        return None
    try:
        found = datetime.fromisoformat(value)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        place.fail(f'expected "startedDateTime" to be a time like 2026-11-30T12:00:00.000Z, found {value[:40]!r}')


def shown_moment(value: datetime | None) -> str:
    """A moment as a capture's ``sent_at``."""
    return "" if value is None else value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
