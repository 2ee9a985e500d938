"""Two neighbouring hops as the rules see them: texts aligned, pieces timed at both, and whether it was one exchange."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from harness.diagnose.thresholds import FIRST_BYTE_MS
from harness.diagnose.view import View
from harness.timeline.align import Alignment, align
from harness.wire.stream import ChannelKey


class Timed(NamedTuple):
    """One inner piece: when it came at the inner hop and when its last character came at the outer one (own clocks)."""

    inner_ms: float
    outer_ms: float
    inner_event: int
    outer_event: int
    chars: int


class Pair:
    """``inner`` is the next capture towards the engine, ``outer`` the hop under judgement."""

    def __init__(self, inner: View, outer: View) -> None:
        self.inner, self.outer = inner, outer
        self.memo: dict[str, Any] = {}  # what rule helpers computed once for this pair

    @cached_property
    def sameness(self) -> str:
        """``same`` exchange on both sides, ``different`` exchanges of one prompt, or ``unknown``."""
        a, b = self.inner.capture, self.outer.capture
        if a.exchange and b.exchange:
            return "same" if a.exchange == b.exchange else "different"
        if self.inner.stream.wire != self.outer.stream.wire:
            return "unknown"  # who translates to another dialect makes ids of its kind
        ids = [{row.id for row in view.stream.identities if row.id} for view in (self.inner, self.outer)]
        if ids[0] & ids[1]:
            return "same"
        return "different" if ids[0] and ids[1] and all(map(_long, ids)) else "unknown"

    @property
    def our_limit(self) -> bool:
        """Our own relay gave up waiting for the inner hop; what it then told the browser follows from that."""
        return self.inner.end == "timeout" and self.outer.capture.tap == "write" and self.sameness == "same"

    @cached_property
    def channels(self) -> list[ChannelKey]:
        """Channels that carry text on both sides."""
        return [key for key in self.inner.texts if key in self.outer.texts]

    @cached_property
    def alignments(self) -> dict[ChannelKey, Alignment]:
        out = {}
        for key in self.channels:
            a, b = self.inner.texts[key], self.outer.texts[key]
            out[key] = align(a.text, b.text, a.ends, b.ends)
        return out

    @cached_property
    def timed(self) -> list[Timed]:
        """Inner pieces in order of time that were found at the outer hop."""
        rows: list[Timed] = []
        if self.outer.snapshots or self.inner.snapshots:
            return rows
        for key, alignment in self.alignments.items():
            a, b = self.inner.texts[key], self.outer.texts[key]
            begun = alignment.inner.startswith(alignment.outer)  # told up to where it was cut or stopped
            if not alignment.equal and alignment.share() < 0.3 and not begun:
                continue
            if key.part.startswith("tool") and len(b.ends) == 1:
                continue  # a call that is told whole waits for its end, and is of no use before it
            inner_times, outer_times = self.inner.stream.times, self.outer.stream.times
            blocks = [e for e in alignment.edits if e.kind == "equal"]
            at, start = 0, 0
            for end, event in zip(a.ends, a.events, strict=True):
                while at < len(blocks) and blocks[at].a_end < end:
                    at += 1
                if at < len(blocks) and blocks[at].a < end:
                    outer_event = b.events[bisect_left(b.ends, blocks[at].b + end - blocks[at].a)]
                    rows.append(Timed(inner_times[event], outer_times[outer_event], event, outer_event, end - start))
                start = end
        rows.sort()
        return rows

    @cached_property
    def shift_ms(self) -> float | None:
        """What to add to inner times to read them on the outer clock; None when nothing ties the two clocks."""
        a, b = self.inner.capture, self.outer.capture
        if a.clock and b.clock and a.clock.id and a.clock.id == b.clock.id:
            started = [moment(c.sent_at) for c in (a, b)]
            if started[0] is not None and started[1] is not None:
                return started[0] - started[1]
        lags = [row.outer_ms - row.inner_ms for row in self.timed] if self.sameness == "same" else []
        if a.clock and b.clock and a.sent_at and b.sent_at:
            started = [moment(c.sent_at) for c in (a, b)]
            if started[0] is not None and started[1] is not None:
                told = started[0] - started[1] + a.clock.offset_ms - b.clock.offset_ms
                if lags and told < min(lags) - FIRST_BYTE_MS - self.bound_ms:
                    return min(lags)  # no hop holds every piece for so long: one of the clocks is wrong
                return min([told, *(lag + self.bound_ms for lag in lags)])  # no piece comes before it was sent
        return min(lags) if lags else None

    @property
    def bound_ms(self) -> float:
        """How far off a figure that crosses the two clocks may be."""
        clocks = [c.clock for c in (self.inner.capture, self.outer.capture) if c.clock]
        return sum(clock.uncertainty_ms for clock in clocks)

    @property
    def resolution_ms(self) -> float:
        """What the coarser of the two clocks cannot tell apart: a difference up to this may be none."""
        return max(self.inner.resolution_ms, self.outer.resolution_ms)

    @property
    def inner_gap(self) -> float:
        """Usual milliseconds between pieces at the inner hop."""
        times = [row.inner_ms for row in self.timed]
        return median([b - a for a, b in pairwise(times)]) if len(times) > 1 else 0.0


def side_by_side(a: View, b: View) -> bool:
    """Whether two engines of a pool were asked (hedged, or one after the other): neither is behind the other."""
    ids = [{row.id for row in view.stream.identities if row.id} for view in (a, b)]
    apart = a.kind == b.kind == "engine" and a.hop != b.hop
    return apart and bool(ids[0] and ids[1]) and not ids[0] & ids[1]


def moment(sent_at: str) -> float | None:
    """An RFC 3339 time as milliseconds since 1970; None when it cannot be read."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(sent_at.replace("Z", "+00:00")).timestamp() * 1000.0
    except ValueError:
        return None


def _long(ids: set[str]) -> bool:
    """Ids long enough to be unlike by themselves: ``cmpl-1`` may be anybody's."""
    return all(len(name) >= 16 for name in ids)
