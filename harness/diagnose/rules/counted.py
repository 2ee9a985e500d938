"""loss, duplicate, reorder by what the stream counts itself: numbers in its text, SSE ids, sequence numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.counts import Count, counts, weight
from harness.diagnose.fault import Fault
from harness.diagnose.rules.interleave import merged
from harness.diagnose.view import View

MISSING = Fault(
    "loss.counted",
    "Missing by the stream's own count ({what}): {values}.",
    "Events were dropped by this hop or one behind it.",
    "Capture the hop behind: the first one whose count is whole is not the culprit, the next is.",
)
DOUBLED = Fault(
    "duplicate.counted",
    "Doubled by the stream's own count ({what}): {values}.",
    "An event was sent twice, by this hop or one behind it (a retry in the middle, two writers, two event "
    "kinds for one text).",
    "Send each event once; after a retry go on from the last event that was passed on.",
)
SWAPPED = Fault(
    "reorder.counted",
    "Out of order by the stream's own count ({what}): {values} came late.",
    "Pieces overtook each other at this hop or behind it: several senders or calls without an order between them.",
    "Send the pieces of one answer from one task, awaiting each; add sequence numbers.",
)
NUMBERED = Fault(
    "malformed.sequence-number",
    "{what} {values} stands on events of different types: the events are numbered wrongly, none came twice.",
    "The hop writes a fixed number into some kinds of events.",
    "Count every event of a stream by one counter: strict readers sort and drop events by it.",
)
TYPE = re.compile(rb'"type"\s*:\s*"(response\.[a-z_.]+)"')


def alone(view: View) -> Iterator[Finding]:
    for count in counts(view):
        if count.missing:
            severity, at = weight(view, count, count.missing), count.event_after(count.missing[0])
            yield _told(MISSING, view, severity, count, count.missing, at)
        if count.doubled and not view.snapshots and not merged(view):
            fault, severity = (NUMBERED, "warning") if _other_kinds(view, count) else (DOUBLED, "error")
            yield _told(fault, view, severity, count, count.doubled, count.event_of(count.doubled[0]))
        if count.swapped:
            yield _told(SWAPPED, view, "error", count, count.swapped, count.event_of(count.swapped[0]))


def _told(fault: Fault, view: View, severity: str, count: Count, values: list[int], event: int | None) -> Finding:
    more: dict[str, Any] = {"swaps": len(values)} if fault is SWAPPED else {}
    other = None if fault is NUMBERED else count.alternative()
    shown = count.shown(values)
    return fault.found(view, severity, event=event, what=count.what, values=shown, alternative=other, **more)


def _other_kinds(view: View, count: Count) -> bool:
    """Whether the events that share a number are of different types, so that none is another one again."""
    if count.what != "sequence_number" or count.missing:
        return False
    for value in count.doubled:
        hits = [TYPE.search(view.stream.raw(e)) for v, e in zip(count.values, count.events, strict=True) if v == value]
        kinds = {hit.group(1) for hit in hits if hit}
        if len(kinds) < len(hits):
            return False
    return True
