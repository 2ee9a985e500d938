"""A gateway that sends on a timer."""

from __future__ import annotations

from collections.abc import Iterable

from harness.lab.gateways.model import Do, Gateway, Send, Wake
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params


@gateway("hold-ms", "burst")
class HoldMs(Gateway):
    """Gathers what comes and sends it ``for`` (500ms) after the first byte of each batch: HAProxy without
    `http-no-delay` (200 ms), a batching logger, Nagle with delayed ACKs."""

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._held = bytearray()

    def data(self, t: float, data: bytes) -> Iterable[Do]:
        if not self._held:
            yield Wake(t + self.p.ms("for", 500))
        self._held += data

    def wake(self, t: float) -> Iterable[Do]:
        if self._held:
            yield Send(bytes(self._held))
            self._held.clear()

    def end(self, t: float, kind: str) -> Iterable[Do]:
        yield from self.wake(t)
        yield from super().end(t, kind)
