"""A log that may be huge: only the part around a moment is read, found by halving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from harness.logs.lines import read_lines
from harness.logs.model import Line

CHUNK = 64 * 1024
LINE = 1024
GLANCE = 8 * 1024  # bytes that tell what time it is at a place of the log
MOST = 8 * 1024 * 1024  # bytes that one look reads in a row at most
DISORDER = 5.0  # seconds by which lines of a log may stand before their turn: buffers, several workers


@dataclass(frozen=True, slots=True)
class Source:
    """``read(offset, size)`` gives bytes of a file of ``size`` bytes. ``tail``: the lines of a log without dates, which
    are read whole for each exchange; once is enough."""

    name: str
    size: int
    read: Callable[[int, int], bytes]
    tail: list[Line] = field(default_factory=list, compare=False, repr=False)


def around(source: Source, low: float, high: float, epoch: Callable[[Line], float | None]) -> list[Line]:
    """The lines from epoch second ``low`` to ``high``, roughly, of a log that grows in time.

    ``epoch`` gives a line's time. A log without dates cannot be halved: its last :data:`MOST` bytes are read.
    """
    if not _dated(source):
        if not source.tail:
            source.tail.extend(_whole(source, max(0, source.size - MOST), source.size))
        return list(source.tail)
    start = _first(source, low - DISORDER, epoch)
    found: list[Line] = []
    at = start
    while at < source.size and at - start < MOST:
        lines = _whole(source, at, min(at + CHUNK, source.size))
        found += lines
        times = [time for line in lines if (time := epoch(line)) is not None]
        if times and min(times) > high + DISORDER:
            break
        at += CHUNK
    return [line for line in found if (time := epoch(line)) is None or low <= time <= high]


def naming(
    source: Source, low: float, high: float, keys: Sequence[str], epoch: Callable[[Line], float | None]
) -> list[Line]:
    """The lines from ``low`` to ``high`` that hold one of the keys: found in the bytes, only they are read as lines."""
    wanted = [key.encode() for key in keys]
    dated = _dated(source)
    start = _first(source, low - DISORDER, epoch) if dated else max(0, source.size - MOST)
    found: list[Line] = []
    for at in range(start, min(start + MOST, source.size), CHUNK):
        data = source.read(at, 2 * CHUNK)  # a line may begin in this piece and end in the next
        if any(key in data for key in wanted):
            lines = _whole(source, at, min(at + CHUNK, source.size))
            found += [line for line in lines if any(key in line.text for key in keys)]
        times = [time for line in _whole(source, at, at + LINE) if (time := epoch(line)) is not None]
        if times and dated and times[0] > high + DISORDER:
            break
    return found


def ends(source: Source) -> tuple[list[Line], list[Line]]:
    """The first lines and the last ones."""
    return _whole(source, 0, min(GLANCE, source.size)), _whole(source, max(0, source.size - GLANCE), source.size)


def _dated(source: Source) -> bool:
    moments = [line.moment for lines in ends(source) for line in lines if line.moment]
    return bool(moments) and all(moment.date for moment in moments)


def _first(source: Source, target: float, epoch: Callable[[Line], float | None]) -> int:
    """A byte before the first line that is not older than ``target``, less than two chunks before it."""
    low, high = 0, source.size
    while high - low > CHUNK:
        middle = (low + high) // 2
        here = _whole(source, middle, middle + GLANCE) or _whole(source, middle, middle + CHUNK)
        times = [time for line in here if (time := epoch(line)) is not None]
        if times and times[0] < target:
            low = middle
        else:
            high = middle
    return low


def _whole(source: Source, start: int, stop: int) -> list[Line]:
    """The lines that begin in ``[start, stop)``, each to its end."""
    begin = max(0, start - 1)  # one byte more tells whether a line begins right here
    data = source.read(begin, stop - begin + (stop - start))  # a line that begins in the piece may end outside
    if start:
        cut = data.find(b"\n") + 1
        if not cut:
            return []
        data, begin = data[cut:], begin + cut
    return [line for line in read_lines(data, begin) if line.byte < stop]
