"""burst: pieces that were apart arrive together: a gap that shrinks across a hop is buffering."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.knowledge.buffers import buffer_fix, buffer_words
from harness.diagnose.lag import falls_behind, one_behind
from harness.diagnose.pair import Pair, Timed
from harness.diagnose.rules import rhythm
from harness.diagnose.rules.first_byte import added
from harness.diagnose.thresholds import (
    BURST_EVENTS,
    BURST_JOIN_MS,
    BURST_SHARE,
    BURST_SILENCE_MS,
    HOLD_END_MS,
    HOLD_HALF_MS,
    HOLD_MS,
    HOLD_NEAR,
    HOLD_ONCE_MS,
    HOLD_PAIRS_MS,
    HOLD_PROOF,
    HOLD_SHARE,
    MIN_JUDGED,
    UNTIL_END_SHARE,
)
from harness.diagnose.view import View

ALONE = Fault(
    "burst.at-once",
    "{together} of {content_events} content events arrive within {within_ms} ms, after {silence_ms} ms of silence.",
    "Something collected them: this hop, or one behind it that this vantage cannot see; {buffer_words}.",
    "{advice}",
)
UNTIL_END = Fault(
    "burst.until-end",
    "{hop_inner} spreads {pieces} pieces over {spread_ms} ms; {hop} delivers {together} of them in one flush "
    "at {flush_ms} ms.",
    "{hop} holds the answer until its end; {buffer_words}.",
    "{advice}",
)
CLUMPS = Fault(
    "burst.clumps",
    "Even at {hop_inner} (every {usual_ms} ms), in {clumps} clumps at {hop}: about {per_clump} pieces each, "
    "held up to {held_ms} ms.",
    "{hop} buffers; {buffer_words}.",
    "{advice}",
)
HELD = Fault(
    "burst.held",
    "{hop} holds {together} pieces for up to {held_ms} ms and then lets them go together.",
    "One pause in {hop} (or on its way), with the inner hop delivering meanwhile.",
    "Look at what {hop} did then: a full buffer, a frozen process, a slow consumer in front.",
)
BEHIND = Fault(
    "burst.one-behind",
    "{hop} is always one event behind: event i arrives when {hop_inner} sends event i+1 (late by up to {held_ms} ms).",
    "A filter holds the last piece back until the next one comes (antivirus, a parser that waits for the next line).",
    "Send a filler (comment line) right after each event, or take the filter off this path.",
)


def alone(view: View) -> Iterator[Finding]:
    count = len(view.content)
    if not view.streamed or count < BURST_EVENTS:
        return
    at = view.content_ms
    silent = max(BURST_SILENCE_MS, 2 * view.resolution_ms)
    best: tuple[int, int] | None = None
    start = 0
    while start < count:
        stop = start + 1
        while stop < count and at[stop] - at[start] <= BURST_JOIN_MS:
            stop += 1
        before = at[start - 1] if start else 0.0
        if at[start] - before >= silent and (best is None or stop - start > best[1] - best[0]):
            best = (start, stop)
        start = stop
    if best is None or best[1] - best[0] < BURST_SHARE * count:
        yield from rhythm.alone(view)
        return
    first, stop = best
    silence = at[first] - (at[first - 1] if first else 0.0)
    figures: dict[str, Any] = {"together": stop - first, "content_events": count, "silence_ms": silence}
    yield ALONE.found(
        view,
        "error",
        event=view.content[first],
        within_ms=max(at[stop - 1] - at[first], 0.0),
        words={"buffer_words": buffer_words(view, None, True), "advice": buffer_fix(view, None)},
        **figures,
    )


def between(pair: Pair) -> Iterator[Finding]:
    rows = pair.timed
    if len(rows) < MIN_JUDGED or not pair.outer.streamed or pair.outer.stream.framing == "json":
        return
    behind = one_behind(pair)
    if behind:
        yield BEHIND.found(
            pair.outer, "warning", inner=pair.inner, event=rows[0].outer_event, held_ms=behind, pieces=len(rows)
        )
        return
    clumps = _held_back(pair, rows, HOLD_MS)
    if sum(map(len, clumps)) >= HOLD_PROOF * len(rows):
        fillings = _held_back(pair, rows, HOLD_NEAR * HOLD_MS)  # of one buffer: not each is held for that long
        fillings = [clump for clump in fillings if len({row.outer_event for row in clump}) > 1]  # no letters made words
        clumps = fillings if _nearly_all(fillings, rows) else clumps
    spread = rows[-1].inner_ms - rows[0].inner_ms
    late = 0.0
    if not clumps and (lags := falls_behind(pair, samples=True)):  # a rate limit lets go a little at a time
        late, least = lags[1], max(BURST_JOIN_MS, pair.resolution_ms)
        clumps = [clump for clump in _clumps(rows) if _held(clump) > least]
        if pair.sameness != "same" and not _nearly_all(clumps, rows):
            clumps = []  # the engine may have been slower that time; but then it does not clump nearly all
    if clumps:
        found = _judge(pair, rows, clumps, spread, late)
        if found:
            yield found


def _judge(pair: Pair, rows: list[Timed], clumps: list[list[Timed]], spread: float, late: float) -> Finding | None:
    """``late`` (ms): how far the last pieces lag where that is more than their clump spans."""
    outer, inner = pair.outer, pair.inner
    biggest = max(clumps, key=len)
    held, together = max(late, *map(_held, clumps)), sum(map(len, clumps))
    words = {"buffer_words": buffer_words(outer, inner, len(clumps) == 1), "advice": buffer_fix(outer, inner)}
    common: dict[str, Any] = {
        "pieces": len(rows),
        "held_ms": held,
        "spread_ms": spread,
        "exchange": pair.sameness,
        "reads": len(outer.capture.times),
        "bytes_per_read": _usual_size(outer),
    }
    if len(biggest) >= UNTIL_END_SHARE * len(rows) and _held(biggest) >= HOLD_END_MS:
        return UNTIL_END.found(
            outer,
            "error",
            inner=inner,
            event=biggest[0].outer_event,
            together=len(biggest),
            flush_ms=biggest[0].outer_ms,
            words=words,
            **common,
        )
    if len(clumps) >= 2 and together >= HOLD_SHARE * len(rows):
        merged = together < MIN_JUDGED * len(clumps) and held < HOLD_PAIRS_MS
        return CLUMPS.found(
            outer,
            "warning" if merged else "error",
            inner=inner,
            event=clumps[0][0].outer_event,
            clumps=len(clumps),
            usual_ms=pair.inner_gap,
            per_clump=round(together / len(clumps)),
            together=together,
            words=words,
            **common,
        )
    half = len(biggest) >= HOLD_SHARE * len(rows) and _held(biggest) >= HOLD_HALF_MS
    opening = rows[0] in biggest and len(biggest) >= MIN_JUDGED and added(rows[0].outer_ms, rows[0].inner_ms, pair)
    if pair.sameness == "different" and held < HOLD_ONCE_MS and not half:
        return None
    paused = pair.sameness != "different" and max(_paused(rows, clump) for clump in clumps) >= HOLD_ONCE_MS
    severity = "error" if held >= HOLD_ONCE_MS or half or opening or paused else "warning"
    return HELD.found(
        outer, severity, inner=inner, event=biggest[0].outer_event, clumps=len(clumps), together=together, **common
    )


def _clumps(rows: list[Timed]) -> list[list[Timed]]:
    """Rows grouped by arrival at the outer hop: each group came within one flush."""
    groups: list[list[Timed]] = []
    for row in sorted(rows, key=lambda r: (r.outer_ms, r.inner_ms)):
        if groups and row.outer_ms - groups[-1][-1].outer_ms <= BURST_JOIN_MS:
            groups[-1].append(row)
        else:
            groups.append([row])
    return [group for group in groups if len(group) > 1]


def _nearly_all(clumps: list[list[Timed]], rows: list[Timed]) -> bool:
    """Whether nearly all pieces came in clumps, of three or more on the average."""
    return sum(map(len, clumps)) >= max(UNTIL_END_SHARE * len(rows), MIN_JUDGED * len(clumps))


def _held_back(pair: Pair, rows: list[Timed], least: float) -> list[list[Timed]]:
    """The clumps held for ``least`` ms or more, with silence before each that tells of a hold."""
    held = [(clump, ms) for clump in _clumps(rows) if (ms := _held(clump)) >= least and ms > pair.resolution_ms]
    return [clump for clump, ms in held if _silence(rows, clump) >= 0.5 * ms]


def _held(clump: list[Timed]) -> float:
    """How far apart the clump's pieces were at the inner hop."""
    times = [row.inner_ms for row in clump]
    return max(times) - min(times)


def _paused(rows: list[Timed], clump: list[Timed]) -> float:
    """How much longer the silence before the clump was than the inner hop's at that place; 0 before the first piece."""
    first = min(row.outer_ms for row in clump)
    before = [row for row in rows if row.outer_ms < first - BURST_JOIN_MS]
    if not before:
        return 0.0
    last = max(before, key=lambda row: row.outer_ms)
    return (first - last.outer_ms) - max(0.0, min(row.inner_ms for row in clump) - last.inner_ms)


def _silence(rows: list[Timed], clump: list[Timed]) -> float:
    """Milliseconds without content at the outer hop before the clump came."""
    first = min(row.outer_ms for row in clump)
    return first - max((row.outer_ms for row in rows if row.outer_ms < first - BURST_JOIN_MS), default=0.0)


def _usual_size(view: View) -> int | None:
    ends = view.capture.ends
    sizes = sorted(b - a for a, b in zip([0, *ends], ends, strict=False))
    return sizes[len(sizes) // 2] if sizes else None
