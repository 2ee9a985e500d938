"""The clock of this host: its id, its resolution, and the wall time of a moment."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from uuid import uuid4

from harness.capture.model import Clock

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@cache
def host_clock() -> Clock:
    """``perf_counter`` of this host. Its id is the host's boot id (shared by all processes), else of this process."""
    try:
        name = BOOT_ID.read_text().strip()
    except OSError:
        name = uuid4().hex
    resolution = time.get_clock_info("perf_counter").resolution
    return Clock(id=name, source="monotonic", resolution_ms=resolution * 1e3)


def wall(t_ns: int) -> str:
    """The wall time (ISO 8601, UTC, microseconds) of a ``perf_counter_ns`` moment that is not long past."""
    ago = time.perf_counter_ns() - t_ns
    moment = datetime.fromtimestamp((time.time_ns() - ago) / 1e9, UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
