"""A gateway as a state machine: stamped upstream events in, commands out. No sockets, no clock of its own.

The socket server runs it in real time (:mod:`harness.lab.passage`), the synthesiser in virtual time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from harness.capture.model import Headers
from harness.lab.params import Params

HOP_BY_HOP = frozenset(
    {"connection", "transfer-encoding", "keep-alive", "te", "trailer", "upgrade", "proxy-connection"}
)


@dataclass(frozen=True, slots=True)
class SendHead:
    """``length``: the Content-Length to declare, else the body is chunked."""

    status: int
    headers: Headers
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Send:
    """One write of body bytes."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Finish:
    """End towards the client: complete, cut or reset."""

    kind: str


@dataclass(frozen=True, slots=True)
class Wake:
    """Call :meth:`Gateway.wake` at ``at`` (ms since the request came); a later Wake replaces an earlier one."""

    at: float


@dataclass(frozen=True, slots=True)
class Again:
    """Drop the upstream exchange and send the request once more."""


Do = SendHead | Send | Finish | Wake | Again


class Gateway:
    """Passes everything on. Subclasses override what they do otherwise; ``t`` is ms since the request came.

    ``leaving``: when it closes the upstream after the client left: ``at-once``, ``next-read`` or ``never``.
    Kinds of upstream ends: complete, truncated, reset.
    """

    leaving = "at-once"

    def __init__(self, params: Params) -> None:
        self.p = params
        self.request: Mapping[str, Any] = {}
        self.store: MutableMapping[str, Any] = {}  # what gateways of this name remember between exchanges

    def target(self, path: str) -> str:
        """The path that is asked upstream."""
        return path

    def ask(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The JSON body that goes upstream."""
        self.request = body
        return body

    def start(self, t: float) -> Iterable[Do]:
        """Before upstream is asked: set timers, or answer at once."""
        return ()

    def head(self, t: float, status: int, headers: Headers) -> Iterable[Do]:
        yield SendHead(status, forwardable(headers), declared_length(headers))

    def data(self, t: float, data: bytes) -> Iterable[Do]:
        yield Send(data)

    def end(self, t: float, kind: str) -> Iterable[Do]:
        yield Finish({"complete": "complete", "truncated": "cut", "reset": "reset"}[kind])

    def wake(self, t: float) -> Iterable[Do]:
        return ()


@dataclass(frozen=True, slots=True)
class GatewayKind:
    """A registered gateway; ``symptom``: what it does to ``model``'s stream, "" for nothing bad.

    ``path``: where its API begins, for wires other than OpenAI's.
    """

    name: str
    make: Callable[[Params], Gateway]
    symptom: str
    about: str
    model: str = "lab-steady"
    path: str = "/v1"
    wire: str = "openai"
    severity: str = "error"


def forwardable(headers: Headers) -> Headers:
    return tuple((k, v) for k, v in headers if k.lower() not in HOP_BY_HOP | {"content-length"})


def declared_length(headers: Headers) -> int | None:
    return next((int(v) for k, v in headers if k.lower() == "content-length" and v.isdigit()), None)
