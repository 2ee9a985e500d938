"""The lab's clock: monotonic, and named by the boot, so that captures of one machine need no offset."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from harness.capture.model import Clock

now_ns = time.perf_counter_ns


@cache
def host_clock() -> Clock:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        boot = "host"
    return Clock(id=boot, source="monotonic", resolution_ms=time.get_clock_info("perf_counter").resolution * 1000)


def wall_at(ns: int) -> str:
    """The UTC time of a stamp of :data:`now_ns`, with microseconds, as captures write it."""
    then = datetime.now(UTC) - timedelta(microseconds=(now_ns() - ns) / 1000)
    return then.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
