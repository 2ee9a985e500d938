"""Stamps as the rules may trust them: finite, and never running backwards."""

from __future__ import annotations

from array import array
from dataclasses import replace
from itertools import pairwise
from math import isfinite

from harness.capture.model import Capture


def sane(capture: Capture) -> Capture:
    """The capture with NaN, infinite and backward read times put right (each at least the one before it)."""
    times = capture.times
    if all(map(isfinite, times)) and all(a <= b for a, b in pairwise(times)):
        fixed = capture
    else:
        mended, last = array("d"), 0.0
        for t in times:
            last = max(last, t) if isfinite(t) else last
            mended.append(last)
        fixed = replace(capture, times=mended)
    head, end = fixed.head, fixed.end
    if head is not None and not isfinite(head.t):
        fixed = replace(fixed, head=replace(head, t=fixed.times[0] if fixed.times else 0.0))
    if end is not None and not (isfinite(end.t) and end.t >= (fixed.times[-1] if fixed.times else 0.0)):
        fixed = replace(fixed, end=replace(end, t=fixed.times[-1] if fixed.times else 0.0))
    return fixed
