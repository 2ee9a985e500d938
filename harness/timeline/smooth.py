"""How even a stream is: measures that need no clock in common, and the deadline measure of etalon."""

from __future__ import annotations

from collections.abc import Sequence


def jitter(inner: Sequence[float], outer: Sequence[float]) -> float | None:
    """Interarrival jitter of the same events at two taps, ms, free of any clock offset.

    D_i = (a_i - a_(i-1)) - (w_i - w_(i-1)); J += (abs(D_i) - J) / 16. Source: RFC 3550, 6.4.1. ``inner`` are the w_i,
    ``outer`` the a_i, one a common event; None with fewer than two.
    """
    if len(inner) != len(outer):
        raise ValueError("jitter compares the same events at both taps")
    if len(inner) < 2:
        return None
    value = 0.0
    for i in range(1, len(inner)):
        value += (abs((outer[i] - outer[i - 1]) - (inner[i] - inner[i - 1])) - value) / 16
    return value


def delay_variation(inner: Sequence[float], outer: Sequence[float]) -> list[float]:
    """PDV of each event: its delay minus the least delay, ms. Source: RFC 5481, 4.2. Free of the offset as well."""
    delays = [a - w for w, a in zip(inner, outer, strict=True)]
    least = min(delays, default=0.0)
    return [delay - least for delay in delays]


def merged_share(inner: Sequence[float], outer: Sequence[float], apart_ms: float = 1.0) -> float | None:
    """Share of the gaps of more than ``apart_ms`` at the inner tap that are less than that at the outer one (ours)."""
    apart = [outer[i] - outer[i - 1] < apart_ms for i in range(1, len(inner)) if inner[i] - inner[i - 1] > apart_ms]
    return sum(apart) / len(apart) if apart else None


def fluidity(arrivals: Sequence[float], first_ms: float, next_ms: float) -> float | None:
    """Fluidity index, 0 to 1: the share of events that met their deadline; None without events.

    s_i is the time that event i took (a_1, then a_i - a_(i-1)); D is ``first_ms`` for the first event, else
    ``next_ms``. Event i is in time when s_i <= D + slack_(i-1); slack_i = slack_(i-1) + D - s_i when in time, else 0.
    Source: etalon's documentation (the variant that does not count further deadlines that one late event misses).
    """
    if not arrivals:
        return None
    met, slack, before = 0, 0.0, 0.0
    for i, arrival in enumerate(arrivals):
        left = (next_ms if i else first_ms) + slack - (arrival - before)
        before = arrival
        met += left >= 0
        slack = max(left, 0.0)
    return met / len(arrivals)
