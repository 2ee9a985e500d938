"""malformed: something came in place of a response, and it is not HTTP, or has a head that nobody reads."""

from __future__ import annotations

from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.view import View
from harness.phrase import recorded

NOT_HTTP = Fault(
    "malformed.not-http",
    "{hop} answers with what is not HTTP: {what}.",
    "Something else listens at that port (TLS, HTTP/2 without TLS, another protocol), or the hop damages its own head.",
    "Correct scheme and port of the URL: {url}; if they are right, look at the bytes with curl -v --http0.9.",
)
HEAD_SIZE = Fault(
    "malformed.head-size",
    "{hop} answers with a head that is too large: {what}.",
    "It sends far more header lines than a client takes: a loop that adds them, or a body sent as headers.",
    "Look at what this hop puts into its response headers.",
)
BEGINNINGS = {"not HTTP": NOT_HTTP, "head too large": HEAD_SIZE}
"""What our probes and taps write into the end's detail."""


def told(view: View) -> Fault | None:
    """The fault that the recorded end tells, where there was no head."""
    if view.answered or view.end != "truncated":
        return None
    return next((fault for start, fault in BEGINNINGS.items() if view.detail.startswith(start)), None)


def alone(view: View) -> Iterator[Finding]:
    if fault := told(view):
        url = view.capture.request.url if view.capture.request else ""
        words = {"url": url, "what": recorded(view.detail.partition(": ")[2] or view.detail)}
        yield fault.found(view, "error", at_ms=view.end_ms, detail=view.detail, words=words)
