"""not-cancelled: our side stopped, and the hop behind went on: the chain of cancellation is broken at this hop."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import CANCEL_GAPS, CANCEL_LATE_MS, CANCEL_MS

RAN_ON = Fault(
    "not-cancelled.ran-on",
    "{hop} was closed at {stopped_ms} ms; {hop_inner} went on for {ran_on_ms} ms and {events_after} events "
    "more (to {inner_end}).",
    "{hop} does not pass the close on: it does not notice it, or reads the inner answer to its end on purpose.",
    "Close the inner connection when the client goes: await the disconnect, async generators with "
    "try/finally, no detached upstream "
    "contexts (aiproxy, one-api), no flush_interval -1 (Caddy), no proxy_ignore_client_abort (nginx).",
)

LATE = Fault(
    "not-cancelled.late",
    "{hop} was closed at {stopped_ms} ms; {hop_inner} ran on for {ran_on_ms} ms ({events_after} events) until it was.",
    "{hop} notices the close late: at its next write, or on a timer.",
    "Listen for the disconnect beside the copying, not only when something is written.",
)


PIECES = 3  # that both hops tell alike, where no id says whether it was one exchange


def between(pair: Pair) -> Iterator[Finding]:
    inner, outer = pair.inner, pair.outer
    if outer.end != "aborted" or pair.sameness == "different" or outer.terminated:
        return
    shift = pair.shift_ms
    if shift is None and pair.sameness != "same":
        if not _begins(pair):
            return
        shift = min(b - a for a, b in zip(inner.content_ms, outer.content_ms, strict=False))
    stopped = outer.end_ms - (shift or 0.0)
    times = inner.capture.times
    after = len(inner.stream) - bisect_right(inner.stream.times, stopped)
    passed_on = inner.end == "aborted"
    last = max(times) if len(times) else 0.0
    ran_on = (max(last, inner.end_ms) if passed_on else last) - stopped  # it may work in silence until it is told
    limit = max(CANCEL_LATE_MS if passed_on else CANCEL_MS, CANCEL_GAPS * inner.median_gap, pair.bound_ms)
    if (after > 0 or passed_on) and ran_on > limit:
        yield (LATE if passed_on else RAN_ON).found(
            outer,
            "warning" if passed_on else "error",
            inner=inner,
            at_ms=outer.end_ms,
            stopped_ms=outer.end_ms,
            ran_on_ms=ran_on,
            events_after=after,
            inner_end=inner.end,
            clock_bound_ms=pair.bound_ms,
        )


def _begins(pair: Pair) -> bool:
    """Whether all that the closed hop told is how the inner answer begins: dialects without ids have no other sign.

    Two ids that differ in one dialect speak for two exchanges, of which the other one was not closed.
    """
    ids = [next((row.id for row in view.stream.identities if row.id), "") for view in (pair.inner, pair.outer)]
    if all(ids) and ids[0] != ids[1] and pair.inner.stream.wire == pair.outer.stream.wire:
        return False
    told = [
        pair.inner.texts[key].text.startswith(text.text)
        for key, text in pair.outer.texts.items()
        if key in pair.inner.texts
    ]
    return len(pair.outer.content) >= PIECES and len(told) == len(pair.outer.texts) and all(told)
