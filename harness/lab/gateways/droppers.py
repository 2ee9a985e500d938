"""Gateways that lose what stands around the data, and one that does not hear."""

from __future__ import annotations

from collections.abc import Iterable

from harness.capture.model import Headers
from harness.lab.gateways.events import data_of
from harness.lab.gateways.eventwise import Eventwise
from harness.lab.gateways.model import Do, Gateway, Send, SendHead
from harness.lab.gateways.registry import gateway


@gateway("headers-dropped", "headers", severity="warning")
class HeadersDropped(Gateway):
    """Answers with a plain content type and none of upstream's headers: X-Accel-Buffering and no-transform are gone,
    and the proxy in front buffers and compresses."""

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        yield SendHead(status, (("content-type", "text/plain"),))


@gateway("event-lines-dropped")
class EventLinesDropped(Eventwise):
    """Keeps the data lines alone: comments, ids and event names are gone. FastGPT's detail events and keep-alive
    comments do not survive it."""

    def event(self, t: float, block: bytes) -> Iterable[Do]:
        data = data_of(block)
        if data:
            yield Send(b"".join(b"data: %b\n" % line.encode() for line in data.split("\n")) + b"\n")


@gateway("deaf", "not-cancelled")
class Deaf(Gateway):
    """Never tells upstream that the client left: one-api, aiproxy, Portkey. Without a Stop it is healthy."""

    leaving = "never"
