"""A gateway that sends when it has enough."""

from __future__ import annotations

from collections.abc import Iterable

from harness.lab.gateways.model import Do, Gateway, Send
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params


@gateway("hold-bytes", "burst")
class HoldBytes(Gateway):
    """Holds the body until it has ``bytes`` (8192) of it: nginx's proxy_buffer, a stdio buffer, a compressor."""

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._held = bytearray()
        self._size = max(1, params.count("bytes", 8192))

    def data(self, t: float, data: bytes) -> Iterable[Do]:
        self._held += data
        while len(self._held) >= self._size:
            yield Send(bytes(self._held[: self._size]))
            del self._held[: self._size]

    def end(self, t: float, kind: str) -> Iterable[Do]:
        if self._held:
            yield Send(bytes(self._held))
        yield from super().end(t, kind)
