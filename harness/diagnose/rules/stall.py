"""stall: the content stops in the middle for far longer than the stream's own rhythm, or before the terminator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.lag import falls_behind
from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import FIRST_BYTE_MS, STALL_MEDIANS, STALL_MS, TAIL_MS
from harness.diagnose.view import View
from harness.phrase import Phrase, phrase
from harness.wire.stream import Kind

MIDDLE = Fault(
    "stall.gap",
    "{gap_ms} ms without content after event {after_event}; the usual gap is {usual_ms} ms{more}.",
    "{meanwhile}",
    "Compare the same gap at the hop behind: if it is there too, look at that host (engine: preemption, GC, a "
    "frozen process; watch tokens per second).",
)
SILENT = Fault(
    "stall.to-end",
    "Content stops after event {after_event} and stays silent for {gap_ms} ms to the end of the recording "
    "({end}); usual gap {usual_ms} ms.",
    "The connection stays open and says nothing: no finish_reason, no terminator. {meanwhile}",
    "A green health check is no proof of progress: watch tokens per second at this hop and restart or release "
    "what hangs.",
)
LATE_END = Fault(
    "stall.before-finish",
    "The text ends at {last_ms} ms, its finish comes {gap_ms} ms later; usual gap {usual_ms} ms.",
    "The hop knows late that the answer is over (stop words held back, a tool that runs on, a slow last step).",
    "Send the finish with the last token.",
)
HANG = Fault(
    "stall.after-end",
    "The answer is complete at {done_ms} ms, but the body stays open for {gap_ms} ms more.",
    "The hop does not close its response after the terminator.",
    "Close the body after the terminator; readers should end there and not wait for EOF.",
)


TOOL = Fault(
    "stall.tool-run",
    "{gap_ms} ms without content after event {after_event}, {worked_ms} ms of them while a tool or a node is at work, "
    "as the stream itself tells.",
    "The answer waits for what the tool brings; an idle timer on the way sees a silent line.",
    "Send a comment line each 5-15 s while tools run.",
)


SLOPE = Fault(
    "stall.falls-behind",
    "{hop} falls behind from piece to piece: {first_ms} ms after {hop_inner} at first, {last_ms} ms at last.",
    "Something between lets through less than comes: a rate limit, a slow link, a pace made on purpose.",
    "Look for limits of rate in {hop} (limit_rate, traffic shaping) and for smoothing that is slower than the engine.",
)


def alone(view: View) -> Iterator[Finding]:
    if not view.streamed or not view.content:
        return
    limit = max(STALL_MS, STALL_MEDIANS * view.median_gap)
    long = [i for i, gap in enumerate(view.gaps) if gap > limit] if len(view.gaps) > 1 else []
    work = {i: worked(view, view.content[i], view.content[i + 1], limit) for i in long}
    for i in long:
        if work[i] is not None:
            figures: dict[str, Any] = {"after_event": view.content[i], "gap_ms": view.gaps[i], "worked_ms": work[i]}
            yield TOOL.found(view, "info", event=view.content[i], at_ms=view.content_ms[i], **figures)
    if long := [i for i in long if work[i] is None]:
        at = max(long, key=lambda i: view.gaps[i])
        start, stop = view.content_ms[at], view.content_ms[at + 1]
        yield MIDDLE.found(
            view,
            "error",
            event=view.content[at + 1],
            at_ms=start,
            after_event=view.content[at],
            gap_ms=view.gaps[at],
            usual_ms=view.median_gap,
            stalls=len(long),
            limit_ms=limit,
            beats=(came := beats(view, start, stop)),
            words={"more": _more(len(long)), "meanwhile": _meanwhile(came)},
        )
    yield from _tail(view, limit)


def between(pair: Pair) -> Iterator[Finding]:
    if pair.outer.streamed and (lags := falls_behind(pair)):
        first, last = lags
        event = pair.timed[-1].outer_event
        yield SLOPE.found(pair.outer, "warning", inner=pair.inner, event=event, first_ms=first, last_ms=last)


def _tail(view: View, limit: float) -> Iterator[Finding]:
    if view.in_band:
        return
    if view.text_complete:
        marks = [*view.stream.terminators, *(finish.event for finish in view.stream.finishes)]
        done = view.stream.times[max(marks)]
        late = view.stream.times[min(marks)] - view.content_ms[-1]
        if late > limit and min(marks) > view.content[-1]:
            last = view.content_ms[-1]
            yield LATE_END.found(
                view, "warning", event=min(marks), at_ms=last, last_ms=last, gap_ms=late, usual_ms=view.median_gap
            )
        if view.end_ms - done > TAIL_MS:
            yield HANG.found(
                view, "warning", event=max(marks), at_ms=done, done_ms=done, gap_ms=view.end_ms - done, end=view.end
            )
        return
    last = view.content_ms[-1]
    silent = view.end_ms - last
    if silent > limit and view.end in ("open", "timeout", "reset", "truncated", "aborted", "complete"):
        yield SILENT.found(
            view,
            "error",
            event=view.content[-1],
            at_ms=last,
            after_event=view.content[-1],
            gap_ms=silent,
            end=view.end,
            usual_ms=view.median_gap,
            limit_ms=limit,
            beats=(came := beats(view, last, view.end_ms)),
            words={"meanwhile": _meanwhile(came)},
        )


def _more(stalls: int) -> str:
    """A clause for further gaps beside the longest."""
    return phrase("; {stalls} gaps are that long", stalls=stalls) if stalls > 1 else ""


def _meanwhile(came: int) -> Phrase:
    """What came instead of content. Heartbeats keep the line open and are no progress."""
    if not came:
        return phrase("Nothing at all arrived at this tap meanwhile.")
    return phrase("Only {came} heartbeats came meanwhile: the line is open, which is no progress.", came=came)


def worked(view: View, after: int, before: int, limit: float) -> float | None:
    """Milliseconds between two content events that a tool's or a node's work explains, as the stream tells; or None.

    A tool's arguments are content, what comes from there to its result is work; so is what lies between its
    announcement and its end. The words that follow are the first ones of a new turn and may take as long as such.
    """
    times, t, explained = view.stream.times, view.stream.times[after], 0.0
    at_work, marked = view.stream.kinds[after] == Kind.TOOL, False
    for event, done in view.stream.facts.get("work", []):
        if after < event < before:
            busy = at_work or (done and marked)  # where one has done its work, another may still be at it
            if not busy and times[event] - t > limit:
                return None
            explained += times[event] - t
            at_work, marked, t = not done, True, times[event]
    return explained if marked and times[before] - t <= max(limit, FIRST_BYTE_MS) else None


def beats(view: View, start: float, stop: float) -> int:
    """Heartbeats (comments, empty events) between two times."""
    comments = sum(1 for t, _ in view.stream.comments if start < t <= stop)
    events = sum(1 for i, t in enumerate(view.stream.times) if start < t < stop and not view.is_content(i))
    return comments + events
