"""burst: clumps told by their rhythm alone, where no piece can be followed from hop to hop."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.knowledge.buffers import buffer_fix, buffer_words
from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import (
    BURST_JOIN_MS,
    BURST_SHARE,
    BURST_SILENCE_MS,
    HOLD_HALF_MS,
    MIN_JUDGED,
    UNTIL_END_SHARE,
)
from harness.diagnose.view import View

ALONE = Fault(
    "burst.rhythm",
    "Content comes in {clumps} clumps of about {per_clump} events, {silence_ms} ms apart, each within {within_ms} ms.",
    "Either the engine makes several tokens a step, or something collects them; {buffer_words}.",
    "{advice}",
)
PAIR = Fault(
    "burst.rhythm-apart",
    "Even at {hop_inner} (every {usual_ms} ms); another answer comes out of {hop} in {clumps} clumps of about "
    "{per_clump} events, {silence_ms} ms apart.",
    "{hop} buffers; {buffer_words}.",
    "{advice}",
)


def rhythm(view: View) -> dict[str, Any] | None:
    """Figures of a stream with nearly all of its content in clumps after silence each, or None."""
    at, clumps = view.content_ms, [[0]]
    for i in range(1, len(at)):
        if at[i] - at[clumps[-1][0]] <= BURST_JOIN_MS:
            clumps[-1].append(i)
        else:
            clumps.append([i])
    pauses = [at[b[0]] - at[a[-1]] for a, b in pairwise(clumps)]
    wide = [clump for clump in clumps if len(clump) >= MIN_JUDGED]
    silent = max(BURST_SILENCE_MS, 2 * view.resolution_ms)
    if len(wide) < MIN_JUDGED or sum(map(len, wide)) < UNTIL_END_SHARE * len(at) or min(pauses) < silent:
        return None
    return {
        "clumps": len(clumps),
        "per_clump": round(len(at) / len(clumps)),
        "silence_ms": sorted(pauses)[len(pauses) // 2],
        "within_ms": max(at[clump[-1]] - at[clump[0]] for clump in wide),
        "event": view.content[wide[0][0]],
    }


def alone(view: View) -> Iterator[Finding]:
    """Seen, but alone no proof of a buffer."""
    if found := rhythm(view):
        words = {"buffer_words": buffer_words(view, None, False), "advice": buffer_fix(view, None)}
        yield ALONE.found(view, "warning", words=words, **found)


def between(pair: Pair) -> Iterator[Finding]:
    """Two samples of one prompt, of which no piece is found again: the inner hop is even, the outer one is not."""
    inner, outer = pair.inner, pair.outer
    if len(pair.timed) >= MIN_JUDGED or not (outer.streamed and inner.streamed) or not inner.gaps:
        return
    joined = sum(gap <= BURST_JOIN_MS for gap in inner.gaps)
    found = rhythm(outer)
    if not found or found["silence_ms"] < HOLD_HALF_MS or joined >= (1 - BURST_SHARE) * len(inner.gaps):
        return
    words = {"buffer_words": buffer_words(outer, inner, False), "advice": buffer_fix(outer, inner)}
    yield PAIR.found(outer, "error", inner=inner, words=words, usual_ms=inner.median_gap, **found)
