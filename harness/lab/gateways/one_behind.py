"""A gateway that is always one event behind."""

from __future__ import annotations

from collections.abc import Iterable

from harness.lab.gateways.eventwise import Eventwise
from harness.lab.gateways.model import Do, Send
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params


@gateway("one-behind")
class OneBehind(Eventwise):
    """Sends an event when the next one comes: a parser that looks for the start of the next to know the end of
    this. Hardly seen in an even stream; before a stall the last word is missing."""

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._held = b""

    def event(self, t: float, block: bytes) -> Iterable[Do]:
        if self._held:
            yield Send(self._held)
        self._held = block

    def last(self, t: float, kind: str) -> Iterable[Do]:
        if self._held:
            yield Send(self._held)
        yield from super().last(t, kind)
