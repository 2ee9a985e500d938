"""reset: the connection is torn down (RST, HTTP/2 reset) before the answer is complete."""

from __future__ import annotations

from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.cut import cut_figures, timer_fix, timer_words
from harness.diagnose.fault import Fault
from harness.diagnose.view import View
from harness.phrase import phrase

LOOK = phrase(
    "Look for a crash, a restart or an out-of-memory kill of this hop (or of what sits between it and this tap)."
)

MIDDLE = Fault(
    "reset.mid-stream",
    "The connection is reset at {cut_ms} ms, after {events} events.",
    "The peer dropped the connection without closing it; {timer_words}.",
    "{advice}",
)
HEADERS = Fault(
    "reset.before-headers",
    "The connection is reset at {cut_ms} ms, before any response header.",
    "The request was taken and then dropped; {timer_words}.",
    "{advice}",
)


def alone(view: View) -> Iterator[Finding]:
    if view.end != "reset" or view.unreached or view.text_complete or view.in_band:
        return
    figures = cut_figures(view)
    fault = MIDDLE if view.answered else HEADERS
    yield fault.found(
        view,
        "error",
        event=len(view.stream) - 1 if len(view.stream) else None,
        at_ms=view.end_ms,
        events=len(view.stream),
        detail=view.detail or None,
        **figures,
        words={"timer_words": timer_words(figures), "advice": timer_fix(figures, LOOK)},
    )
