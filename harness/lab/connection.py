"""One client connection: requests read by h11, one exchange at a time, and an eye on the client's leaving."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import h11

from harness.lab.response import Response

BODY_LIMIT = 20 * 1024 * 1024
PENDING_LIMIT = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Incoming:
    """A whole request: ``target`` as sent, header names lower-case, ``http`` "1.0" or "1.1"."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    http: str
    at_ns: int  # when the whole of it was there

    @property
    def again(self) -> bool:
        """Whether the client wants to use the connection again."""
        return self.http != "1.0" and "close" not in self.headers.get("connection", "").lower()


class Exchange(Protocol):
    """What answers a request; the connection tells it what the client does."""

    deaf: bool

    def client_left(self, detail: str) -> None: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...


class Connection(asyncio.Protocol):
    """``answer(connection, request)`` starts the answer and sets :attr:`exchange` if it goes on after returning."""

    def __init__(self, answer: Callable[[Connection, Incoming], None], live: set[Connection]) -> None:
        self.answer, self.live = answer, live
        self.exchange: Exchange | None = None
        self.transport: asyncio.Transport
        self._parser = h11.Connection(h11.SERVER, max_incomplete_event_size=64 * 1024)
        self._head: h11.Request | None = None
        self._body = bytearray()
        self._pending = bytearray()
        self._busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.live.add(self)
        raw = transport.get_extra_info("socket")
        if raw is not None and raw.family in (socket.AF_INET, socket.AF_INET6):
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        if self._busy:
            self._pending += data
            if len(self._pending) > PENDING_LIMIT:
                self.transport.abort()
            return
        self._parser.receive_data(data)
        self._pump()

    def eof_received(self) -> bool:
        """FIN is the earliest sign that the client left; a deaf exchange keeps the other half open."""
        exchange = self.exchange
        if exchange is None:
            return False
        exchange.client_left("the client closed")
        return exchange.deaf

    def connection_lost(self, exc: Exception | None) -> None:
        self.live.discard(self)
        if self.exchange is not None:
            self.exchange.client_left("the client reset the connection" if exc else "the client closed")

    def pause_writing(self) -> None:
        if self.exchange is not None:
            self.exchange.pause()

    def resume_writing(self) -> None:
        if self.exchange is not None:
            self.exchange.resume()

    def done(self) -> None:
        """The exchange is over: read the next request, if the connection lives."""
        self.exchange = None
        self._busy = False
        if self.transport.is_closing():
            return
        rest = (self._parser.trailing_data[0] or b"") + bytes(self._pending)
        self._pending.clear()
        self._parser = h11.Connection(h11.SERVER, max_incomplete_event_size=64 * 1024)
        self._head = None
        self._body.clear()
        if rest:
            self._parser.receive_data(rest)
            asyncio.get_running_loop().call_soon(self._pump)

    def _pump(self) -> None:
        try:
            while not self._busy and not self.transport.is_closing():
                event = self._parser.next_event()
                if event is h11.NEED_DATA:
                    if self._parser.they_are_waiting_for_100_continue:
                        self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                    return
                if isinstance(event, h11.Request):
                    self._head = event
                elif isinstance(event, h11.Data):
                    self._body += event.data
                    if len(self._body) > BODY_LIMIT:
                        return self._refuse(413, "the request body is above 20 MB")
                elif isinstance(event, h11.EndOfMessage):
                    self._dispatch()
                else:
                    return
        except h11.RemoteProtocolError as error:
            self._refuse(400, f"this is no HTTP request: {error}")

    def _dispatch(self) -> None:
        head = self._head
        assert head is not None
        self._busy = True
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in head.headers}
        http = head.http_version.decode("ascii")
        target = head.target.decode("latin-1")
        method, now = head.method.decode("ascii"), time.perf_counter_ns()
        self.answer(self, Incoming(method, target, headers, bytes(self._body), http, now))

    def _refuse(self, status: int, message: str) -> None:
        self._busy = True
        response = Response(self.transport, "1.1")
        body = message.encode()
        response.head(status, (("content-type", "text/plain; charset=utf-8"),), "length", len(body), more=False)
        response.body(body)
        response.complete()
