"""Which read completed each event, and when: marks over the ends of the reads."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence

_NEAR = 32


def reads_of(marks: Sequence[int], ends: Sequence[int]) -> array[int]:
    """For each mark (a byte offset, rising), the index of the read that delivered that byte.

    ``ends[i]`` is the body's length after read ``i``. A mark beyond the last read gets the last read's index.
    """
    reads: array[int] = array("I")
    if not ends:
        return array("I", [0]) * len(marks)
    last = len(ends) - 1
    if len(ends) * 4 < len(marks):
        at = 0
        for index, end in enumerate(ends):
            until = bisect_right(marks, end - 1, at)
            reads.extend(array("I", [index]) * (until - at))
            at = until
        reads.extend(array("I", [last]) * (len(marks) - at))
        return reads
    at = 0
    for mark in marks:
        if ends[at] <= mark:
            near = min(at + _NEAR, last + 1)
            at = bisect_right(ends, mark, at, near)
            if at == near:
                at = min(bisect_right(ends, mark, at), last)
        reads.append(at)
    return reads


def times_of(reads: Sequence[int], times: Sequence[float]) -> array[float]:
    """The time of each of these reads, ms; 0.0 where nothing was stamped."""
    if not times:
        return array("d", bytes(8 * len(reads)))
    return array("d", map(times.__getitem__, reads))
