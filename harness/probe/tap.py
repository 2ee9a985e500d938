"""The inline tap: a TCP proxy that hands bytes on untouched and listens on the side."""

from __future__ import annotations

import asyncio
import logging
import socket as sockets
import ssl
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter_ns
from urllib.parse import urlsplit

from harness.errors import InputError, Unreachable
from harness.probe.backend import StampedSocket
from harness.probe.watched import Done, Watched
from harness.tasks import start

HIGH_WATER = 1024 * 1024  # bytes that one side may leave unread before the other is paused
log = logging.getLogger(__name__)


class Tap:
    """Where to forward to, and what to do with each exchange. ``hop``: what the upstream is called in captures."""

    def __init__(self, upstream: str, done: Done, *, hop: str = "engine", kind: str = "engine") -> None:
        parts = urlsplit(upstream if "://" in upstream else f"http://{upstream}")
        try:
            port = parts.port
        except ValueError:
            port = None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{upstream!r} is not an address", "--upstream", "Write it as http://host:port.")
        self.upstream = f"{parts.scheme}://{parts.netloc}"
        self.host, self.port = parts.hostname, port or (443 if parts.scheme == "https" else 80)
        self.tls = ssl.create_default_context() if parts.scheme == "https" else None
        self.hop, self.kind, self.done = hop, kind, done
        self.clients: set[ClientSide] = set()

    def watched(self) -> Watched:
        return Watched(self.hop, self.kind, self.upstream, self.done)


class ClientSide(asyncio.Protocol):
    """One connection of a client and the one to the upstream that it is joined with."""

    def __init__(self, tap: Tap) -> None:
        self.tap = tap
        self.watched = tap.watched()
        self.transport: asyncio.Transport | None = None
        self.up: StampedSocket | None = None
        self.early = bytearray()  # what came before the upstream was connected
        self.gone = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(HIGH_WATER)
        self.tap.clients.add(self)
        self.joining = start(self._join(), "tap-join")

    def data_received(self, data: bytes) -> None:
        if self.up is None or self.up.transport is None:
            self.early += data
            if len(self.early) > HIGH_WATER and self.transport:
                self.transport.pause_reading()
            return
        self.up.transport.write(data)
        self.watched.asked(perf_counter_ns(), data)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has left: so does its upstream connection, at once."""
        self.gone = True
        self.tap.clients.discard(self)
        self.joining.cancel()
        self.watched.ended(perf_counter_ns(), "aborted", "client-left")
        if self.up is not None and self.up.transport is not None:
            self.up.transport.abort()

    def pause_writing(self) -> None:
        if self.up is not None and self.up.transport is not None and not self.up.closed:
            self.up.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.up is not None and self.up.transport is not None and not self.up.closed:
            self.up.transport.resume_reading()

    async def _join(self) -> None:
        loop = asyncio.get_running_loop()
        assert self.transport is not None
        try:
            async with asyncio.timeout(10):
                _, self.up = await loop.create_connection(
                    lambda: UpstreamSide(self), self.tap.host, self.tap.port, ssl=self.tap.tls
                )
        except (OSError, TimeoutError, ssl.SSLError) as error:
            log.warning("%s cannot be reached: %s", self.tap.upstream, error)
            self.watched.asked(perf_counter_ns(), bytes(self.early))
            self.watched.ended(perf_counter_ns(), "reset", f"refused: {error}")
            self.transport.abort()
            return
        assert self.up.transport is not None
        early, self.early = bytes(self.early), bytearray()
        if early:
            self.up.transport.write(early)
            self.watched.asked(perf_counter_ns(), early)
        self.transport.resume_reading()


class UpstreamSide(StampedSocket):
    """The upstream's side: each read goes to the client first, and is looked at after."""

    def __init__(self, client: ClientSide) -> None:
        super().__init__()
        self.client = client
        self.sink = self._hand_on

    def _hand_on(self, stamp: int, data: bytes) -> None:
        transport = self.client.transport
        if transport is None or self.client.gone:
            return
        written = perf_counter_ns()  # before the bytes can arrive anywhere
        transport.write(data)
        watched = self.client.watched
        watched.answered(stamp, data)
        watched.handed_on(written)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        client, watched = self.client, self.client.watched
        if client.gone or client.transport is None:
            return
        now = self.ended_ns
        if self.lost is not None:
            watched.ended(now, "reset")
            if not client.transport.get_write_buffer_size():
                _reset(client.transport)
                return
        else:
            watched.ended(now, "close", "open-ended" if watched.open_ended else "")
        client.transport.close()


def _reset(transport: asyncio.Transport) -> None:
    """RST, as the upstream did."""
    sock = transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


@asynccontextmanager
async def listening(tap: Tap, host: str, port: int) -> AsyncIterator[tuple[str, int]]:
    """The tap, listening; gives its address. ``port`` 0: a free one. Raises Unreachable for a port that is taken."""
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(lambda: ClientSide(tap), host, port)
    except OSError as error:
        what = f"the port cannot be opened: {error.strerror or error}"
        raise Unreachable(what, f"tap on {host}:{port}", "Choose another with --listen.") from None
    try:
        bound = server.sockets[0].getsockname()
        yield bound[0], bound[1]
    finally:
        server.close()
        for client in list(tap.clients):
            client.watched.ended(perf_counter_ns(), "open", "interrupted")
            if client.transport is not None:
                client.transport.abort()
        await asyncio.sleep(0)
