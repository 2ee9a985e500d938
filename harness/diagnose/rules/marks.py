"""reorder, duplicate by the times that the engine wrote into its events: ``created``, Ollama's ``created_at``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.counts import counts
from harness.diagnose.fault import Fault
from harness.diagnose.thresholds import COUNT_SHARE, COUNT_WORDS
from harness.diagnose.view import View
from harness.phrase import phrase
from harness.wire.stream import Identity

CAUGHT_UP = 0.9  # of the seconds that the clock lacks
CLOCK = phrase("an engine whose clock was set back")

BACK = Fault(
    "reorder.created",
    "The time in the events runs backwards: {field} at event {event_no} is {back} earlier than before, and then "
    "goes on ({dips} such events).",
    "Pieces were made in one order and came in another: they overtook each other at this hop or behind it.",
    "Send the pieces of one answer from one task, awaiting each; add sequence numbers.",
)
AGAIN = Fault(
    "duplicate.created",
    "{repeats} pieces bear the very time and text of a piece before, first at event {event_no} ({field}).",
    "An event was sent twice, by this hop or one behind it: the engine made it once.",
    "Send each event once; after a retry go on from the last event that was passed on.",
)
STEP = Fault(
    "content.created-back",
    "created falls from {was} to {now} at event {event_no} and stays there: another clock goes on.",
    "A second upstream went on with the answer, or the engine's clock was set back in the middle.",
    "Check that the text goes on without a seam; log retries at this hop.",
)
STAMP = re.compile(rb'"created_at"\s*:\s*"([^".]{10,30}?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?"')


def alone(view: View) -> Iterator[Finding]:
    if not view.streamed or len(view.content) < COUNT_WORDS:
        return
    told = {name for count in counts(view) for name in ("doubled", "swapped") if getattr(count, name)}
    if view.stream.wire == "ollama":
        yield from _records(view, told)
    elif "swapped" not in told:
        yield from _seconds(view)


def _seconds(view: View) -> Iterator[Finding]:
    """``created`` in whole seconds, where each chunk has its own; constant in most engines."""
    rows = [row for row in view.stream.identities if row.created]
    top, dips, low = None, [], None
    for row in rows:
        if not view.is_content(row.event):
            continue
        created = row.created or 0
        if top is not None and row.id != top.id:
            top, low = None, None  # another answer, or another upstream: told by its id
        if top is not None and created < (top.created or 0):
            low = low or row
        else:
            if low is not None and top is not None and _too_soon(view, low, row, top):
                dips.append((low, (top.created or 0) - (low.created or 0)))
            low, top = None, row
    if dips:
        event = dips[0][0].event
        yield BACK.found(
            view, "error", event=event, field="created", dips=len(dips), alternative=CLOCK,
            words={"event_no": event, "back": phrase("{seconds} s", seconds=dips[0][1])},
        )  # fmt: skip
    elif low is not None and top is not None:
        yield STEP.found(
            view, "warning", event=low.event, was=top.created, now=low.created, words={"event_no": low.event}
        )


def _too_soon(view: View, low: Identity, back: Identity, top: Identity) -> bool:
    """Whether the old time is back before a clock that was set back could have caught up with it."""
    times = view.stream.times
    return times[back.event] - times[low.event] < CAUGHT_UP * 1000 * ((top.created or 0) - (low.created or 0))


def _records(view: View, told: set[str]) -> Iterator[Finding]:
    """``created_at`` in nanoseconds: each record is later than the one before."""
    seen: dict[tuple[bytes, bytes], bytes] = {}
    top: tuple[bytes, bytes] | None = None
    late, again, rows = [], [], 0
    for event in view.content:
        raw = view.stream.raw(event)
        hit = STAMP.search(raw)
        if not hit:
            continue
        rows += 1
        stamp = (hit.group(1), (hit.group(2) or b"").ljust(9, b"0"))
        if seen.get(stamp) == raw.strip():
            again.append(event)
        elif top is not None and stamp < top:
            late.append(event)
        seen.setdefault(stamp, raw.strip())
        top = stamp if top is None else max(top, stamp)
    if len(seen) < COUNT_SHARE * (rows - len(again)) or len(seen) < COUNT_WORDS:
        return  # one time for all, or whole seconds
    if late and "swapped" not in told:
        words = {"event_no": late[0], "back": phrase("some time")}
        yield BACK.found(view, "error", event=late[0], field="created_at", dips=len(late), words=words)
    if again and "doubled" not in told:
        words = {"event_no": again[0]}
        yield AGAIN.found(view, "error", event=again[0], field="created_at", repeats=len(again), words=words)
