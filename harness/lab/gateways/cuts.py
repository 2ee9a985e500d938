"""Gateways with timers that cut, and one that hides a cut."""

from __future__ import annotations

from collections.abc import Iterable

from harness.capture.model import Headers
from harness.lab.gateways.eventwise import Eventwise
from harness.lab.gateways.model import Do, Finish, Gateway, Send, Wake
from harness.lab.gateways.registry import gateway


@gateway("total-cut", "truncation")
class TotalCut(Gateway):
    """Cuts ``after`` (2s), however well it flows: Envoy's route timeout of 15 s, Go's http.Client.Timeout."""

    def start(self, t: float) -> Iterable[Do]:
        yield Wake(self.p.ms("after", 2000))

    def wake(self, t: float) -> Iterable[Do]:
        yield Finish("cut")


@gateway("idle-cut", "truncation", model="lab-stall")
class IdleCut(Gateway):
    """Cuts when upstream has been silent for ``idle`` (1s): nginx's proxy_read_timeout of 60 s, an ELB's idle
    timeout."""

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        yield from super().head(t, status, headers)
        yield Wake(t + self.p.ms("idle", 1000))

    def data(self, t: float, data: bytes) -> Iterable[Do]:
        yield Send(data)
        yield Wake(t + self.p.ms("idle", 1000))

    def wake(self, t: float) -> Iterable[Do]:
        yield Finish("cut")


@gateway("launder", "truncation", model="lab-truncate")
class Launder(Eventwise):
    """Turns a cut into a clean end, with ``[DONE]`` unless ``done=no``: one-api after a scanner error, nginx over
    HTTP/1.0."""

    def last(self, t: float, kind: str) -> Iterable[Do]:
        if kind != "complete" and self.p.text("done", "yes") != "no":
            yield Send(b"data: [DONE]\n\n")

    def finish(self, t: float, kind: str) -> Iterable[Do]:
        yield Finish("complete")
