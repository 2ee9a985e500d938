"""A gateway that tries again in the middle of an answer."""

from __future__ import annotations

from collections.abc import Iterable

from harness.capture.model import Headers
from harness.lab.gateways.events import has_content, payload_of
from harness.lab.gateways.eventwise import Eventwise
from harness.lab.gateways.model import Again, Do, Send
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params


@gateway("retry-midway", "duplicate")
class RetryMidway(Eventwise):
    """After content event ``at`` (20), or when upstream is cut, asks once more and goes on with the new answer from
    its start: a retry policy that does not know that half was sent."""

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._seen, self._tries = 0, 0

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        if self._tries == 0:
            yield from super().head(t, status, headers)

    def event(self, t: float, block: bytes) -> Iterable[Do]:
        yield Send(block)
        self._seen += has_content(payload_of(block))
        if self._tries == 0 and self._seen >= self.p.count("at", 20):
            yield from self._again()

    def end(self, t: float, kind: str) -> Iterable[Do]:
        if kind != "complete" and self._tries == 0:
            return self._again()
        return super().end(t, kind)

    def _again(self) -> Iterable[Do]:
        self._tries += 1
        self.blocks.rest = b""
        yield Again()
