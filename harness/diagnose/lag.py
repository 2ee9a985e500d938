"""How a lag goes on: exactly one event all the time, or growing from piece to piece."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import (
    HOLD_MS,
    LAG_CLEAR,
    LAG_JITTER_MS,
    LAG_MS,
    LAG_SHARE,
    LAG_TIED,
    MIN_JUDGED,
    SLOPE_SHARE,
    STALL_MS,
)


def one_behind(pair: Pair) -> float | None:
    """The longest wait that a lag of exactly one event causes, or None when the lag is not one event."""
    rows = pair.timed
    if len(rows) < 2 * MIN_JUDGED:
        return None
    own = [row.outer_ms - row.inner_ms for row in rows[:-1]]
    nexts = [row.outer_ms - after.inner_ms for row, after in pairwise(rows)]
    held = max(own) - min(nexts)
    if _steady(nexts) >= LAG_SHARE and _steady(own) < min(LAG_SHARE, _steady(nexts) - LAG_CLEAR):
        return held
    # an even stream leaves only its jitter to tell by: it is gone against the next piece
    tied = _spread(own) >= LAG_JITTER_MS and _spread(nexts) <= LAG_TIED * _spread(own)
    return held if tied and held >= HOLD_MS else None


def falls_behind(pair: Pair, samples: bool = False) -> tuple[float, float] | None:
    """The usual lag of the first and of the last fifth of the pieces, where it grows bit by bit; or None.

    One pause makes a step, not a slope: then no single wait is a large part of the growth. ``samples``: take two
    exchanges as well, of which the engine may have told one more slowly.
    """
    rows = pair.timed
    part = len(rows) // 5
    if (pair.sameness != "same" and not samples) or part < MIN_JUDGED:
        return None
    lags = [row.outer_ms - row.inner_ms for row in rows]
    first, last = median(lags[:part]), median(lags[-part:])
    grown, spread = last - first, rows[-1].inner_ms - rows[0].inner_ms
    widest = max(b.outer_ms - a.outer_ms for a, b in pairwise(rows))
    if grown <= STALL_MS or grown <= SLOPE_SHARE * spread or widest > SLOPE_SHARE * grown:
        return None
    return first, last


def _steady(values: list[float]) -> float:
    """Share of values that are the median, within jitter."""
    middle = sorted(values)[len(values) // 2]
    return sum(1 for value in values if abs(value - middle) <= LAG_MS) / len(values)


def _spread(values: list[float]) -> float:
    """Mean distance from the median, ms."""
    middle = sorted(values)[len(values) // 2]
    return sum(abs(value - middle) for value in values) / len(values)
