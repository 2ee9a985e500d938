"""Wall time that cannot step: epoch milliseconds derived from the monotonic clock, one base a process."""

from __future__ import annotations

import time
from datetime import UTC, datetime

BASE_NS = time.time_ns() - time.perf_counter_ns()


def epoch_ms(t_ns: int) -> float:
    """Epoch milliseconds of a ``perf_counter_ns`` moment of this process."""
    return (BASE_NS + t_ns) / 1e6


def now_ms() -> float:
    return epoch_ms(time.perf_counter_ns())


def iso(ms: float) -> str:
    """ISO 8601 in UTC with microseconds. Raises ValueError or OverflowError outside the calendar."""
    moment = datetime.fromtimestamp(ms / 1e3, UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
