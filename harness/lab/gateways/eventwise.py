"""The base of gateways that work event by event."""

from __future__ import annotations

from collections.abc import Iterable

from harness.capture.model import Headers
from harness.lab.gateways.events import Blocks
from harness.lab.gateways.model import Do, Finish, Gateway, Send, SendHead, forwardable
from harness.lab.params import Params


class Eventwise(Gateway):
    """Cuts the upstream into events; subclasses override :meth:`event` and :meth:`last`. Answers that are no event
    stream pass through."""

    set_headers: Headers | None = None

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self.blocks = Blocks()
        self.streaming = True

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        kind = next((v for k, v in headers if k.lower() == "content-type"), "")
        self.streaming = status < 400 and kind.startswith("text/event-stream")
        if not self.streaming:
            yield from super().head(t, status, headers)
        else:
            yield SendHead(status, forwardable(headers) if self.set_headers is None else self.set_headers)

    def data(self, t: float, data: bytes) -> Iterable[Do]:
        if not self.streaming:
            yield Send(data)
            return
        for block in self.blocks.feed(data):
            yield from self.event(t, block)

    def end(self, t: float, kind: str) -> Iterable[Do]:
        if self.streaming:
            yield from self.last(t, kind)
        yield from self.finish(t, kind)

    def event(self, t: float, block: bytes) -> Iterable[Do]:
        """One whole event with its blank line."""
        yield Send(block)

    def last(self, t: float, kind: str) -> Iterable[Do]:
        """Before the end: what is held, what is added."""
        if self.blocks.rest:
            yield Send(self.blocks.rest)

    def finish(self, t: float, kind: str) -> Iterable[Do]:
        yield Finish("complete" if kind == "complete" else "cut")
