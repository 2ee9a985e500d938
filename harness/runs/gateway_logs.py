"""Gateway logs on disk: opened, and searched for what they say of captures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings

from harness.capture.model import Capture
from harness.diagnose.answer import Answer, Finding
from harness.errors import InputError
from harness.logs.exchange import Exchange, exchange_of
from harness.logs.match import Excerpt, excerpt, without_doubles
from harness.logs.source import Source

LOCALTIME = Path("/etc/localtime")
MOST = 8  # exchanges that are looked up in a log; those with faults first


@contextmanager
def open_log(path: Path) -> Iterator[Source]:
    """A log to be read in parts. Raises InputError for what is no readable text file."""
    try:
        if path.exists() and not path.is_file():
            raise InputError("the log is no regular file", str(path), "Name a gateway's log file.")
        with path.open("rb") as file:
            check_text(file.read(4096), str(path))
            size = file.seek(0, 2)

            def read(offset: int, count: int) -> bytes:
                file.seek(offset)
                return file.read(count)

            yield Source(str(path), size, read)
    except OSError as error:
        what = f"the log cannot be read: {error.strerror}"
        raise InputError(what, str(path), "Name a gateway's log file.") from None


def in_memory(name: str, data: bytes) -> Source:
    """A log that somebody uploaded or pasted. Raises InputError for what is no text, or nothing."""
    if not data.strip():
        raise InputError("the log is empty", name, "Choose a gateway's log file, or paste lines of it.")
    check_text(data[:4096], name)
    return Source(name, len(data), lambda offset, count: data[offset : offset + count])


def check_text(head: bytes, name: str) -> None:
    """Refuse a log that begins like no text. InputError."""
    if head[:2] == b"\x1f\x8b" or b"\0" in head:
        raise InputError("the log is compressed or binary", name, "Unpack it first, or name the log itself.")


def excerpts(
    logs: Sequence[tuple[str, Path]], captures: Sequence[Capture], answer: Answer, offset_s: float | None = None
) -> list[Excerpt]:
    """What each log, (hop or "", file), says of the captures' exchanges.

    A log whose hop is named is asked for the exchanges that passed through it: that hop's and those further out.
    """
    found: list[Excerpt] = []
    for hop, path in logs:
        with open_log(path) as source:
            found += look(source, hop, captures, answer.findings, offset_s)
    return found


def look(
    source: Source, hop: str, captures: Sequence[Capture], findings: Sequence[Finding], offset_s: float | None = None
) -> list[Excerpt]:
    """What one log says of the captures' exchanges; ``hop``: whose log it is, "" for any."""
    asked = _exchanges(captures, findings, hop)
    return without_doubles([excerpt(source, exchange, offset_s, zone_of(exchange)) for exchange in asked])


def zone_of(exchange: Exchange) -> float:
    """How far this machine's local time was ahead of UTC then, seconds."""
    shift = datetime.fromtimestamp(exchange.begin, machine_zone()).utcoffset()
    return shift.total_seconds() if shift else 0.0


def machine_zone() -> tzinfo:
    """The zone that ``TZ`` named when we were started, else the system's, else UTC."""
    with suppress(ZoneInfoNotFoundError, ValueError, OSError):
        if settings.MACHINE_TZ:
            return ZoneInfo(settings.MACHINE_TZ.lstrip(":"))
    with suppress(ValueError, OSError), LOCALTIME.open("rb") as file:
        return ZoneInfo.from_file(file)
    return UTC


def _exchanges(captures: Sequence[Capture], findings: Sequence[Finding], hop: str) -> list[Exchange]:
    names = [capture.hop for capture in captures]
    if hop and hop not in names:
        known = ", ".join(dict.fromkeys(names))
        raise InputError(f"no capture is of the hop {hop!r}", "--log", f"There are: {known}.")
    reached = dict.fromkeys(names[names.index(hop) :] if hop else names)
    faults = [finding for finding in findings if finding.severity == "error"]
    bad = {(finding.hop, finding.repeat) for finding in faults}
    chosen = [capture for capture in captures if capture.hop in reached and capture.tap in ("read", "write", "emit")]
    chosen.sort(key=lambda capture: (capture.hop, capture.repeat) not in bad)
    seen: dict[tuple[str, int | None, str], Exchange] = {}
    for capture in chosen:
        exchange = exchange_of(capture, faults)
        if exchange is not None:
            seen.setdefault((exchange.key or exchange.hop, exchange.repeat, ""), exchange)
    return list(seen.values())[:MOST]
