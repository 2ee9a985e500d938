"""How one exchange ended at one tap, in one word of the contract."""

from __future__ import annotations

from harness.wire.stream import Stream

_AFTER_ALL = frozenset({"complete", "aborted", "open"})  # ends that cost nothing once the terminator has come


def outcome(stream: Stream) -> str:
    """``done`` ``truncated`` ``reset`` ``timeout`` ``aborted`` ``interrupted`` or ``failed``.

    failed: refused, an error status, an error inside the stream, or no stream where one was asked for. Else the
    connection's end decides: a clean end with neither finish nor terminator is ``truncated``, and recording that
    stopped (or says nothing of the end) before the terminator is ``interrupted``.
    """
    capture = stream.capture
    end = capture.end.kind if capture.end else "open"
    if failed(stream, end):
        return "failed"
    if stream.framing in ("json", "text"):
        return "done" if end == "complete" else _cut(end)
    if stream.terminators and end in _AFTER_ALL:
        return "done"
    if end == "complete":
        return "done" if stream.finishes or (stream.wire == "other" and len(stream)) else "truncated"
    return _cut(end)


def failed(stream: Stream, end: str) -> bool:
    """Refused, an error (by status or in band) or a redirect, or not a stream."""
    capture = stream.capture
    if capture.head is None and end == "reset" and not len(stream) and not stream.body:
        return True
    if capture.head is not None and capture.head.status >= 300:
        return True
    if stream.errors or "error" in stream.facts:
        return True
    return stream.framing == "text" or (stream.framing == "json" and not asked_whole(stream))


def asked_whole(stream: Stream) -> bool:
    """The request asked for one JSON answer, and that is what came."""
    request = stream.capture.request
    body = request.body if request else None
    return isinstance(body, dict) and body.get("stream") is not True and "text" in stream.facts


def _cut(end: str) -> str:
    return "interrupted" if end == "open" else end
