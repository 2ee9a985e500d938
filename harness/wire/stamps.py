"""Which read completed each event, and when: the ends of events over the ends of reads."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence


def reads_of(stops: Sequence[int], ends: Sequence[int]) -> array[int]:
    """For each stop (a body length, rising), the index of the read that made the body that long.

    ``ends[i]`` is the body's length after read ``i``. A stop beyond the last read gets the last read's index.
    """
    if not ends:
        return array("I", [0]) * len(stops)
    reads: array[int] = array("I")
    last, at = len(ends) - 1, 0
    if len(ends) * 4 < len(stops):
        for index, end in enumerate(ends):
            until = bisect_right(stops, end, at)
            reads.extend(array("I", [index]) * (until - at))
            at = until
        reads.extend(array("I", [last]) * (len(stops) - at))
        return reads
    at, later = 0, iter(ends)
    end = next(later)
    for stop in stops:
        while end < stop:
            end, at = next(later, stop), at + 1  # beyond the last read everything is the last one's
        reads.append(at if at < last else last)
    return reads


def times_of(reads: Sequence[int], times: Sequence[float]) -> array[float]:
    """The time of each of these reads (rising), ms; 0.0 where nothing was stamped."""
    if not times:
        return array("d", bytes(8 * len(reads)))
    if len(times) * 4 >= len(reads):
        return array("d", map(times.__getitem__, reads))
    out, at = array("d"), 0
    for index, time in enumerate(times):
        until = bisect_right(reads, index, at)
        out.extend(array("d", [time]) * (until - at))
        at = until
    return out
