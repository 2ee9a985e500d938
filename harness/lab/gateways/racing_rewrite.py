"""A gateway that re-serialises events in workers that race."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from harness.capture.model import Headers
from harness.lab.gateways.events import Blocks, has_content, payload_of
from harness.lab.gateways.model import Do, Finish, Gateway, Send, SendHead, Wake, forwardable
from harness.lab.gateways.registry import gateway
from harness.lab.params import Params
from harness.lab.plan import to_json


@gateway("racing-rewrite", "reorder")
class RacingRewrite(Gateway):
    """Parses each event and writes it anew after a random time of up to ``for`` (120ms), each on its own: content
    events overtake each other; the finish and ``[DONE]`` wait for all."""

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._blocks = Blocks()
        self._heap: list[tuple[float, int, bytes]] = []
        self._number = 0
        self._latest = 0.0
        self._spread = params.ms("for", 120)
        self._ended = ""

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        yield SendHead(status, forwardable(headers))

    def data(self, t: float, data: bytes) -> Iterable[Do]:
        for block in self._blocks.feed(data):
            payload = payload_of(block)
            due = t + self.p.rng.uniform(0, self._spread) if has_content(payload) else max(t, self._latest)
            self._latest = max(self._latest, due)
            text = f"data: {to_json(payload)}\n\n".encode() if payload is not None else block
            heapq.heappush(self._heap, (due, self._number, text))
            self._number += 1
        return self._next()

    def wake(self, t: float) -> Iterable[Do]:
        while self._heap and self._heap[0][0] <= t:
            yield Send(heapq.heappop(self._heap)[2])
        yield from self._next()

    def end(self, t: float, kind: str) -> Iterable[Do]:
        self._ended = "complete" if kind == "complete" else "cut"
        return self._next()

    def _next(self) -> Iterable[Do]:
        if self._heap:
            yield Wake(self._heap[0][0])
        elif self._ended:
            if self._blocks.rest:
                yield Send(self._blocks.rest)
                self._blocks.rest = b""
            yield Finish(self._ended)
