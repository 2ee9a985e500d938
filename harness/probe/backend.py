"""The network backend under httpx: every socket read is stamped the moment the event loop delivers it."""
# ruff: noqa: ASYNC109  (the signatures with `timeout` are httpcore's)

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Iterable
from time import perf_counter_ns
from typing import Any

import httpcore

READ_BYTES = 64 * 1024  # one read at most; Django sends up to this much in one message
HIGH_WATER = 1024 * 1024  # bytes waiting for the parser before the socket is paused


class StampedSocket(asyncio.BufferedProtocol):
    """One TCP (or TLS) connection: a queue of (ns, bytes), one a socket read, and how the connection ended.

    ``eof``: the peer closed (FIN). ``lost``: the error that ended it (a reset, a TLS fault). ``why``: we ended it
    (``read``, ``total``, or the reason given to :meth:`fail`). ``ended_ns``: the first of these. ns are
    ``perf_counter_ns``.
    """

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport | None = None
        self.reads: deque[tuple[int, bytes]] = deque()
        self.sink: Callable[[int, bytes], None] | None = None  # takes each read instead of the queue
        self.waiting = 0  # bytes in ``reads``
        self.eof = False
        self.closed = False
        self.lost: Exception | None = None
        self.why = ""
        self.ended_ns = 0
        self._buffer = memoryview(bytearray(READ_BYTES))
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._limit = 0.0  # seconds
        self._since = 0  # ns
        self._writable = asyncio.Event()
        self._writable.set()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        stamp = perf_counter_ns()
        if self.sink is not None:
            self._since = stamp
            self.sink(stamp, bytes(self._buffer[:nbytes]))
            return
        self.reads.append((stamp, bytes(self._buffer[:nbytes])))
        self.waiting += nbytes
        if self.waiting > HIGH_WATER and self.transport is not None:
            self.transport.pause_reading()
        self.wake()

    def eof_received(self) -> None:
        self.eof = True
        self.ended_ns = self.ended_ns or perf_counter_ns()
        self.wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        self._stop_watch()
        self.lost = self.lost or exc
        self.ended_ns = self.ended_ns or perf_counter_ns()
        self._writable.set()
        self.wake()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # What the stream above calls.

    def fail(self, why: str) -> None:
        """End the connection from our side, now; whoever waits for bytes learns ``why``."""
        self.why = self.why or why
        self.ended_ns = self.ended_ns or perf_counter_ns()
        if self.transport is not None:
            self.transport.abort()
        self.wake()

    def take(self) -> tuple[int, bytes]:
        """The next read; the queue must not be empty."""
        stamp, data = self.reads.popleft()
        before, self.waiting = self.waiting, self.waiting - len(data)
        if before > HIGH_WATER >= self.waiting and self.transport is not None and not self.closed:
            self.transport.resume_reading()
        return stamp, data

    async def readable(self, timeout: float | None) -> bool:
        """Wait until a read is queued (True) or none will come (False). After ``timeout`` seconds: fail ``read``."""
        while not self.reads:
            if self.over:
                return False
            await self.quiet(timeout)
        return True

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.eof or self.closed or bool(self.why)

    async def quiet(self, timeout: float | None) -> None:
        """Wait for the next :meth:`wake`; a silence of ``timeout`` seconds fails ``read``."""
        if self.over:
            return
        self._waiter = self.loop.create_future()
        self._watch(timeout)
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _watch(self, timeout: float | None) -> None:
        """Limit this wait. One timer serves many waits: it looks how long the current one has lasted."""
        self._since = perf_counter_ns()
        if timeout and (self._timer is None or timeout != self._limit):
            self._stop_watch()
            self._limit = timeout
            self._timer = self.loop.call_later(timeout, self._look)

    def _look(self) -> None:
        left = self._limit - (perf_counter_ns() - self._since) / 1e9 if self._waiter else self._limit
        if left > 0:
            self._timer = self.loop.call_later(left, self._look)
        else:
            self._timer = None
            self.fail("read")

    def _stop_watch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def writable(self) -> None:
        await self._writable.wait()

    def wake(self) -> None:
        """Let whoever waits look again."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class StampedStream(httpcore.AsyncNetworkStream):
    """What httpcore reads and writes, up to the response's head. ``sent_ns``: the last write began.

    ``read_ns``: when the last read handed up came; ``received``: all that came since the last write.
    """

    def __init__(self, socket: StampedSocket) -> None:
        self.socket = socket
        self.sent_ns = 0
        self.read_ns = 0
        self.received = b""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if not await self.socket.readable(timeout):
            if self.socket.why:
                raise httpcore.ReadTimeout(self.socket.why)
            if self.socket.lost is not None:
                raise httpcore.ReadError(str(self.socket.lost))
            return b""
        self.read_ns, data = self.socket.take()
        self.received += data
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not buffer:
            return
        transport = self.socket.transport
        if transport is None or self.socket.closed:
            raise httpcore.WriteError(str(self.socket.lost or "connection closed"))
        self.received = b""
        self.sent_ns = perf_counter_ns()
        transport.write(buffer)
        try:
            async with asyncio.timeout(timeout):
                await self.socket.writable()
        except TimeoutError:
            raise httpcore.WriteTimeout("the request could not be written") from None

    async def aclose(self) -> None:
        if self.socket.transport is not None:
            self.socket.transport.abort()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        assert self.socket.transport is not None
        try:
            async with asyncio.timeout(timeout):
                self.socket.transport = await self.socket.loop.start_tls(
                    self.socket.transport, self.socket, ssl_context, server_hostname=server_hostname
                )
        except TimeoutError:
            raise httpcore.ConnectTimeout("TLS handshake") from None
        except (OSError, ssl.SSLError) as error:
            raise httpcore.ConnectError(f"TLS: {error}") from error
        return self

    def get_extra_info(self, info: str) -> Any:
        transport = self.socket.transport
        if transport is None or info == "is_readable":
            return self.socket.eof or self.socket.closed
        names = {"client_addr": "sockname", "server_addr": "peername"}
        return transport.get_extra_info(names.get(info, info))


class StampingBackend(httpcore.AsyncNetworkBackend):
    """Opens stamped connections; ``stream`` is the latest, ``opened`` how many there were."""

    stream: StampedStream | None = None
    opened = 0

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout):
                _, socket = await loop.create_connection(StampedSocket, host, port, happy_eyeballs_delay=0.25)
        except TimeoutError:
            raise httpcore.ConnectTimeout(f"no connection within {timeout:g} s") from None
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        self.stream = StampedStream(socket)
        self.opened += 1
        return self.stream

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
