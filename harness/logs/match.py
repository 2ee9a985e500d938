"""Which lines of a log tell of an exchange: by its id, else by its time and duration, the log's clock allowed for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from harness.logs.exchange import Exchange
from harness.logs.knowledge import meaning
from harness.logs.lines import masked
from harness.logs.model import Line
from harness.logs.source import Source, around, ends, naming
from harness.phrase import phrase

Epoch = Callable[[Line], float | None]

NEAR = 2.0  # seconds before and after an exchange in which a line may belong to it
FAR = 120.0  # how far the log's clock may be off and still be found out by id or duration
QUIET = 50  # lines near an exchange up to which a request is sought further off by its duration
MOST = 30  # lines shown of one exchange


@dataclass(frozen=True, slots=True)
class Shown:
    """A line that tells of the exchange. ``at`` epoch seconds on our clock; ``after_s`` the request was sent."""

    line: Line
    at: float | None
    after_s: float | None
    by_id: bool
    means: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """``matched``: id, duration, time, or "" for nothing. ``offset_s``: the log's clock less ours.

    ``left_out``: lines of that time that are not shown. ``note``: why nothing was found, and what to do.
    """

    source: str
    format: str
    exchange: Exchange
    matched: str
    offset_s: float
    shown: tuple[Shown, ...]
    left_out: int = 0
    note: str = ""


def excerpt(source: Source, exchange: Exchange, offset_s: float | None, zone_s: float) -> Excerpt:
    """The lines of ``source`` about ``exchange``. ``offset_s`` None: the offset is worked out where that can be done.

    ``zone_s``: how far local time is ahead of UTC, for logs that name no zone; UTC is tried as well.
    """
    order = ("id", "duration", "time", "")
    found = _in_zone(source, exchange, offset_s, zone_s)
    if not zone_s or found.matched in order[:2]:
        return found
    return min(found, _in_zone(source, exchange, offset_s, 0.0), key=lambda one: order.index(one.matched))


def _in_zone(source: Source, exchange: Exchange, offset_s: float | None, zone_s: float) -> Excerpt:
    given = offset_s or 0.0

    def epoch(line: Line) -> float | None:
        return line.moment.epoch(zone_s, exchange.begin + given) if line.moment else None

    def within(offset: float, margin: float) -> list[Line]:
        return around(source, exchange.begin + offset - margin, exchange.end + offset + margin, epoch)

    lines = within(given, NEAR)
    named = [line for line in lines if exchange.is_named_in(line.text)]
    matched, offset = "id" if named else "", given
    if offset_s is None:
        far = (exchange.begin - FAR, exchange.end + FAR)
        named = named or (naming(source, *far, sorted(exchange.ids), epoch) if exchange.ids else [])
        likely = None if named else _by_duration(lines, exchange, epoch)
        if not named and likely is None and len(lines) <= QUIET:
            likely = _by_duration(within(0.0, FAR), exchange, epoch)
        matched = "id" if named else "duration" if likely is not None else ""
        offset = _by_id(named, exchange, epoch) if named else likely or 0.0
        if offset:
            lines = within(offset, NEAR)
    shown = [_shown(line, exchange, epoch, offset) for line in {line.byte: line for line in (*lines, *named)}.values()]
    near = [one for one in shown if one.by_id or _is_near(one, exchange)]
    kept = sorted(sorted(near, key=lambda one: _weight(one, exchange))[:MOST], key=_order)
    note = "" if kept else _note(source, exchange, zone_s)
    return Excerpt(
        source.name,
        next((one.line.format for one in kept), ""),
        exchange,
        matched or ("time" if kept else ""),
        round(offset, 3),
        tuple(replace(one, line=masked(one.line)) for one in kept),
        len(near) - len(kept),
        note,
    )


def _shown(line: Line, exchange: Exchange, epoch: Epoch, offset: float) -> Shown:
    time = epoch(line)
    at = None if time is None else time - offset
    after = None if at is None else at - exchange.begin
    return Shown(line, at, after, exchange.is_named_in(line.text), meaning(line))


def _by_id(named: Sequence[Line], exchange: Exchange, epoch: Epoch) -> float:
    """The clock's offset by lines that bear the id: a line with a duration was written at the end; else no line can
    have been written before the request, nor long after the end, so only what lies outside of that is offset."""
    for line in named:
        time = epoch(line)
        if time is not None and line.duration_s is not None:
            return _beyond_precision(time - exchange.end, line)
    times = [time for line in named if (time := epoch(line)) is not None]
    if not times:
        return 0.0
    early, late = min(times) - exchange.begin, max(times) - exchange.end
    return early if early < -NEAR else late if late > NEAR and early > NEAR else 0.0


def _by_duration(lines: Sequence[Line], exchange: Exchange, epoch: Epoch) -> float | None:
    """The clock's offset, where exactly one line of that path tells of a request that took as long as ours, now if
    there is one, else at any time near."""
    took = exchange.end - exchange.begin
    like = [
        line
        for line in lines
        if line.duration_s is not None
        and abs(line.duration_s - took) <= max(0.1, took / 100)
        and (exchange.path in line.text or not exchange.path)
    ]
    now = [line for line in like if (time := epoch(line)) is not None and abs(time - exchange.end) <= NEAR]
    like = now or like
    time = epoch(like[0]) if len(like) == 1 else None
    return None if time is None else _beyond_precision(time - exchange.end, like[0])


def _beyond_precision(offset: float, line: Line) -> float:
    """An offset smaller than the line's own precision is none."""
    precision = line.moment.precision if line.moment else 1.0
    return 0.0 if abs(offset) <= max(precision, 0.1) else offset


def _is_near(one: Shown, exchange: Exchange) -> bool:
    return one.at is not None and exchange.begin - NEAR <= one.at <= exchange.end + NEAR


def _weight(one: Shown, exchange: Exchange) -> tuple[bool, bool, bool, bool, float]:
    """Least first: what tells most of the exchange."""
    line = one.line
    far = min((abs(one.at - moment) for moment in exchange.moments), default=0.0) if one.at is not None else 0.0
    on_way = bool(exchange.path) and exchange.path in line.text
    return not one.by_id, not one.means, line.level not in ("error", "warn"), not on_way, far


def _order(one: Shown) -> tuple[float, int]:
    return (one.at or 0.0, one.line.byte)


def _note(source: Source, exchange: Exchange, zone_s: float) -> str:
    first, last = ends(source)
    times = [line.moment.epoch(zone_s, exchange.begin) for line in (*first, *last) if line.moment]
    if not times:
        return phrase("no line of it bears a time that is understood")
    early, late = min(times) - exchange.end, exchange.begin - max(times)
    if early > 0:
        return phrase(
            "it begins {seconds} s after the exchange; if its clock or zone differs, name --log-offset",
            seconds=f"{early:.0f}",
        )
    if late > 0:
        return phrase(
            "it ends {seconds} s before the exchange; if its clock or zone differs, name --log-offset",
            seconds=f"{late:.0f}",
        )
    return phrase("it has no line of that time; if its clock or zone differs, name --log-offset")


def without_doubles(found: Sequence[Excerpt]) -> list[Excerpt]:
    """Each line once: it belongs to the exchange whose id it bears, else to the one that it is nearest to by the
    log's own clock. An excerpt that loses all its lines so has found nothing."""
    best: dict[tuple[str, int], tuple[bool, float, int]] = {}
    for place, one in enumerate(found):
        for shown in one.shown:
            middle = (one.exchange.begin + one.exchange.end) / 2
            rank = (not shown.by_id, abs((shown.at or 0.0) + one.offset_s - middle), place)
            key = (one.source, shown.line.byte)
            best[key] = min(best.get(key, rank), rank)
    return [_own(one, [s for s in one.shown if best[one.source, s.line.byte][2] == at]) for at, one in enumerate(found)]


def _own(one: Excerpt, left: Sequence[Shown]) -> Excerpt:
    if one.shown and not left:
        note = phrase("its lines of that time belong to the other exchanges")
        return replace(one, shown=(), matched="", offset_s=0.0, left_out=0, note=note)
    return replace(one, shown=tuple(left))
