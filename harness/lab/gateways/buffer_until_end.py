"""A gateway that holds the whole answer."""

from __future__ import annotations

from collections.abc import Iterable

from harness.capture.model import Headers
from harness.lab.gateways.model import Do, Finish, Gateway, Send, SendHead, forwardable
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params


@gateway("buffer-until-end", "burst")
class BufferUntilEnd(Gateway):
    """Keeps head and body until upstream has ended, then sends them at once: a buffering proxy, a middleware that
    reads the whole body, a sync iterator under ASGI."""

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._head: SendHead | None = None
        self._body = bytearray()

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        self._head = SendHead(status, forwardable(headers))
        return ()

    def data(self, t: float, data: bytes) -> Iterable[Do]:
        self._body += data
        return ()

    def end(self, t: float, kind: str) -> Iterable[Do]:
        if self._head is not None:
            yield self._head
        if self._body:
            yield Send(bytes(self._body))
        yield Finish("complete" if kind == "complete" else "cut")
