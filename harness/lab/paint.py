"""The browser in virtual time: arrivals become paints by the 50 ms law."""

from __future__ import annotations

import random
from dataclasses import replace

from harness.lab.plan import Emission, Plan

FRAME = 1000 / 60
LAW = 45.0  # ms between flushes


def painted(plan: Plan, rng: random.Random) -> Plan:
    """One emission a flush, at the frame after it: the first frame at least 45 ms after the last flush; the last
    flush follows the end at once."""
    rows: list[Emission] = []
    held, last, phase = b"", -LAW, rng.uniform(0, FRAME)
    flush_at: float | None = None

    def flush(at: float) -> None:
        nonlocal held, last, flush_at
        if held:
            rows.append(Emission(at + FRAME, "raw", data=held))
        held, last, flush_at = b"", at, None

    for e in plan.emissions:
        if flush_at is not None and flush_at <= e.at:
            flush(flush_at)
        held += plan.encode(e)
        if flush_at is None:
            flush_at = _frame(max(e.at, last + LAW), phase)
    if flush_at is not None:
        flush(min(flush_at, _frame(max(plan.end_at, plan.emissions[-1].at), phase)))
    end = max(plan.end_at, rows[-1].at if rows else 0.0)
    return replace(plan, emissions=tuple(rows), end_at=end)


def _frame(at: float, phase: float) -> float:
    """The first frame at or after ``at``."""
    return phase + FRAME * max(0, -(-(at - phase) // FRAME))
