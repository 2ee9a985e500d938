"""Percentiles by linear interpolation between order statistics (Hyndman and Fan's type 7, numpy's default)."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(values: Sequence[float], q: float) -> float | None:
    """The ``q``-th percentile (0 to 100) of unsorted values, in their unit; None without values."""
    return of_sorted(sorted(values), q)


def of_sorted(ordered: Sequence[float], q: float) -> float | None:
    """As :func:`percentile`, for values in rising order."""
    if not ordered:
        return None
    rank = (len(ordered) - 1) * min(max(q, 0.0), 100.0) / 100
    low = int(rank)
    if low + 1 >= len(ordered):
        return ordered[-1]
    return ordered[low] + (ordered[low + 1] - ordered[low]) * (rank - low)
