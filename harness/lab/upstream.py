"""One request to an upstream over a fresh connection, its answer handed over read by read."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from typing import Protocol
from urllib.parse import urlsplit

import h11

from harness.capture.model import Headers


class Listener(Protocol):
    """Who wants the answer. ``upstream_end`` kinds: complete, truncated, reset, unreachable."""

    def upstream_head(self, status: int, headers: Headers) -> None: ...
    def upstream_data(self, data: bytes) -> None: ...
    def upstream_end(self, kind: str, detail: str) -> None: ...


class Upstream(asyncio.Protocol):
    """Sends ``request`` when connected; one :meth:`Listener.upstream_data` a socket read."""

    def __init__(self, listener: Listener, request: bytes) -> None:
        self.listener, self.request = listener, request
        self.transport: asyncio.Transport
        self._parser = h11.Connection(h11.CLIENT)
        self._over = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        raw = transport.get_extra_info("socket")
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._parser.send(
            h11.Request(method="POST", target="/", headers=[("host", "upstream"), ("content-length", "0")])
        )
        self._parser.send(h11.EndOfMessage())
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        self._parser.receive_data(data)
        self._pump("truncated", "upstream sent what is no HTTP")

    def eof_received(self) -> bool:
        self._parser.receive_data(b"")
        self._pump("truncated", "upstream closed before the end")
        self._end("truncated", "upstream closed before the end")
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._end("reset" if exc else "truncated", "upstream reset the connection" if exc else "upstream closed")

    def leave(self) -> None:
        """Close towards upstream; nothing more is reported."""
        self._over = True
        self.transport.close()

    def _pump(self, broken: str, detail: str) -> None:
        body = bytearray()
        try:
            while not self._over:
                event = self._parser.next_event()
                if event is h11.NEED_DATA or event is h11.PAUSED:
                    break
                if isinstance(event, h11.Response):
                    headers = tuple((k.decode("latin-1"), v.decode("utf-8", "replace")) for k, v in event.headers)
                    self.listener.upstream_head(event.status_code, headers)
                elif isinstance(event, h11.Data):
                    body += event.data
                elif isinstance(event, h11.EndOfMessage):
                    self._give(body)
                    self._end("complete", "")
                elif isinstance(event, h11.ConnectionClosed):
                    break
        except h11.RemoteProtocolError:
            self._give(body)
            self._end(broken, detail)
            return
        self._give(body)

    def _give(self, body: bytearray) -> None:
        if body and not self._over:
            self.listener.upstream_data(bytes(body))
        body.clear()

    def _end(self, kind: str, detail: str) -> None:
        if not self._over:
            self._over = True
            self.transport.close()
            self.listener.upstream_end(kind, detail)


async def connect(base: str, target: str, headers: Mapping[str, str], body: bytes, listener: Listener) -> Upstream:
    """POST ``body`` to ``base`` (scheme http) + ``target``. Raises OSError when nobody answers there."""
    parts = urlsplit(base)
    host, port = parts.hostname or "127.0.0.1", parts.port or 80
    rows = {**headers, "host": f"{host}:{port}", "content-length": str(len(body)), "connection": "close"}
    lines = [f"POST {parts.path.rstrip('/')}{target} HTTP/1.1", *(f"{k}: {v}" for k, v in rows.items()), "", ""]
    request = "\r\n".join(lines).encode("latin-1") + body
    make: Callable[[], Upstream] = lambda: Upstream(listener, request)  # noqa: E731
    _, protocol = await asyncio.get_running_loop().create_connection(make, host, port)
    return protocol
