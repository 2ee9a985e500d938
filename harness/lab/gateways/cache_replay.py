"""A gateway that answers from memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from harness.capture.model import Headers
from harness.lab.gateways.model import Do, Finish, Gateway, Send, SendHead, forwardable
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params
from harness.lab.plan import to_json


@gateway("cache-replay")
class CacheReplay(Gateway):
    """Passes the first answer on and keeps it; the same model and messages again are answered from memory in one
    write, upstream is not asked: a semantic cache. Fast, complete, and no stream."""

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._kept = bytearray()
        self._head: SendHead | None = None
        self._key = ""

    def ask(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        self._key = to_json([body.get("model"), body.get("messages"), body.get("stream")])
        return super().ask(body)

    def start(self, t: float) -> Iterable[Do]:
        if self._key in self.store:
            head, body = self.store[self._key]
            yield head
            yield Send(body)
            yield Finish("complete")

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        self._head = SendHead(status, forwardable(headers))
        yield self._head

    def data(self, t: float, data: bytes) -> Iterable[Do]:
        self._kept += data
        yield Send(data)

    def end(self, t: float, kind: str) -> Iterable[Do]:
        if kind == "complete" and self._head is not None and self._head.status == 200 and len(self.store) < 1000:
            self.store[self._key] = (self._head, bytes(self._kept))
        return super().end(t, kind)
