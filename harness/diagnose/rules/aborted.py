"""aborted: the reading side closed the exchange. No fault by itself; the detail says who it was."""

from __future__ import annotations

from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.view import View
from harness.phrase import phrase

CLOSED = Fault(
    "aborted.closed",
    "Closed from the reading side at {at} ms after {content_events} content events: {detail}.",
    "Somebody in front stopped reading: the user, our own limit, or the next hop.",
    "If the next hop did it, look for its timer or its fault.",
)
TIMEOUT = Fault(
    "aborted.our-limit",
    "Our own limit ended the recording at {at} ms, {silent_ms} ms after the last content: {detail}.",
    "The limit of this tool, not a fault of the hop.",
    "Raise the limit of the route or the probe.",
)
NONE = phrase("no detail")


def alone(view: View) -> Iterator[Finding]:
    words = {"at": round(view.end_ms)}
    count = len(view.content)
    if view.end == "aborted" and not view.terminated:
        yield CLOSED.found(
            view, "info", at_ms=view.end_ms, content_events=count, detail=view.detail or NONE, words=words
        )
    elif view.end == "timeout" and view.content and not view.text_complete:
        yield TIMEOUT.found(
            view,
            "info",
            at_ms=view.end_ms,
            content_events=count,
            silent_ms=view.end_ms - view.content_ms[-1],
            detail=view.detail or NONE,
            words=words,
        )
