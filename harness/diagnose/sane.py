"""Stamps as the rules may trust them: finite, and never running backwards."""

from __future__ import annotations

from array import array
from dataclasses import replace
from itertools import pairwise
from math import isfinite
from typing import Any

from harness.capture.model import Capture

STEPPED = "stamps_stepped"
"""Key of ``meta`` under which :func:`sane` notes the steps back: ``{"count", "most_ms", "read"}`` (the largest)."""
STEP_MS = 1.0
"""What runs back by less is rounding or two threads; by more, the clock was set, or the file was put together."""


def sane(capture: Capture) -> Capture:
    """The capture with NaN, infinite and backward read times put right.

    After a step back the clock goes on from where it was, so that the gaps behind it stay what they were; the
    gap of the step itself is not known and becomes zero.
    """
    times = capture.times
    good = all(map(isfinite, times)) and all(a <= b for a, b in pairwise(times))
    fixed = capture if good else _mended(capture)
    head, end = fixed.head, fixed.end
    if head is not None and not isfinite(head.t):
        fixed = replace(fixed, head=replace(head, t=fixed.times[0] if fixed.times else 0.0))
    if end is not None and not (isfinite(end.t) and end.t >= (fixed.times[-1] if fixed.times else 0.0)):
        fixed = replace(fixed, end=replace(end, t=fixed.times[-1] if fixed.times else 0.0))
    return fixed


def _mended(capture: Capture) -> Capture:
    mended, last, ahead = array("d"), 0.0, 0.0
    steps: list[tuple[float, int]] = []  # ms back, read
    for read, t in enumerate(capture.times):
        t = t + ahead if isfinite(t) else last
        if t < last:
            if last - t > STEP_MS:
                steps.append((last - t, read))
                ahead += last - t
            t = last
        mended.append(t)
        last = t
    fixed = replace(capture, times=mended)
    if fixed.end is not None and steps:
        fixed = replace(fixed, end=replace(fixed.end, t=fixed.end.t + ahead))
    if not steps:
        return fixed
    most, read = max(steps)
    note: dict[str, Any] = {"count": len(steps), "most_ms": most, "read": read}
    return replace(fixed, meta=fixed.meta | {STEPPED: note})
