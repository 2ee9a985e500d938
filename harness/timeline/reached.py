"""Whether a hop was reached at all, and whether it answered."""

from __future__ import annotations

from harness.capture.model import Capture


def unanswered(capture: Capture) -> bool:
    """Neither a head nor a byte came, and it is over."""
    return capture.head is None and capture.end is not None and not len(capture.times)


def unreached(capture: Capture) -> bool:
    """No connection could be made (refused, DNS, TLS, no answer), as against one that was made and then lost."""
    end = capture.end
    if end is None or not unanswered(capture):
        return False
    if end.kind == "timeout":
        return end.detail in ("connect", "tls handshake")
    if end.kind != "reset":
        return False
    detail = end.detail.lower()
    if any(word in detail for word in ("by peer", "reset", "closed", "disconnected")):
        return any(word in detail for word in ("refused", "tls", "ssl", "handshake"))
    return bool(detail) or not end.t >= 1000  # a time that is none counts as at once
