"""The browser's connection as the server holds it: how much of an answer is still unsent, and how to cut it.

An ASGI application can only end an answer well: under Daphne an iterator that raises in the middle leaves the
client's connection open, and one that stops sends the last chunk. A relay that launders nothing must be able to
close the connection without it, so it reaches for Twisted's transport behind ``send``.
"""

from __future__ import annotations

import asyncio
import fcntl
import struct
import termios
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from functools import partial
from http import HTTPStatus
from typing import Any

from harness.tasks import finish, start

EXTENSION = "streamscope.downstream"
PATIENCE = 5.0  # seconds that a reader gets to take what was sent before the cut
FAREWELL = 1.0  # seconds that an application gets to leave when the server ends
SETTLING = 2.5  # seconds for what it has started: judging and storing what was recorded
KERNEL_SHARE = 1024 * 1024  # bytes in Twisted's buffer from which the kernel's buffer is asked too

# Reasons of statuses that are in no standard but that gateways, CDNs and model services send.
REASONS = {
    499: "Client Closed Request", 520: "Unknown Error", 521: "Web Server Is Down", 522: "Connection Timed Out",
    523: "Origin Is Unreachable", 524: "A Timeout Occurred", 529: "Overloaded",
}  # fmt: skip

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class Downstream:
    """One connection of Daphne. Everything here is for the event loop's thread and harmless once it is closed."""

    def __init__(self, request: Any) -> None:
        self._request = request  # daphne.http_protocol.WebRequest
        self.stopping = False  # the server is about to end: it is not the client who leaves

    def unsent(self) -> int:
        """Bytes of the answer that the client has not acknowledged: in Twisted's buffer, and in the kernel's.

        The kernel is asked only when Twisted's buffer is no longer small: it alone holds less than the bound.
        """
        transport = self._transport()
        if transport is None:
            return 0
        buffered: int = len(transport.dataBuffer) - transport.offset + transport._tempDataLen
        if buffered < KERNEL_SHARE:
            return buffered
        try:
            answer = fcntl.ioctl(transport.fileno(), termios.TIOCOUTQ, b"\0" * 4)
        except OSError:
            return buffered
        return buffered + int(struct.unpack("i", answer)[0])

    def hasten(self) -> None:
        """Let each write go out at once. Twisted registers the socket with the poller and sends a turn later, which
        costs three more system calls and as much time as all else that the relay does to an event."""
        transport = self._transport()
        if transport is None or "startWriting" in vars(transport):
            return
        later = transport.startWriting

        def now() -> None:
            fresh = transport._tempDataLen > 0 and transport.offset == len(transport.dataBuffer)
            # Not fresh: older bytes wait for the poller, or the connection is to be closed, which is the poller's too.
            failed = transport.doWrite() is not None if fresh and not transport.disconnecting else True
            if failed or transport._tempDataLen or transport.offset < len(transport.dataBuffer):
                later()

        transport.startWriting = now

    def send(self, data: bytes) -> None:
        """What the server does in the end when the application awaits ``send``; only between the head and the end."""
        if not self._request.finished and self._request.channel is not None:
            self._request.write(data)

    def cut(self) -> None:
        """Send what was written, then close without the last chunk; a reader that takes nothing is aborted."""
        channel, transport = self._request.channel, self._transport()
        if channel is None or transport is None:
            return
        channel.loseConnection()
        transport.reactor.callLater(PATIENCE, self.abort)

    def abort(self) -> None:
        """Close now, unsent bytes and all (RST)."""
        transport = self._transport()
        if transport is not None and transport.connected:
            transport.abortConnection()

    def _transport(self) -> Any:
        """Twisted's TCP connection, below TLS if there is any; None when it is gone."""
        channel = self._request.channel
        transport = getattr(channel, "transport", None)
        transport = getattr(transport, "transport", transport)
        return transport if hasattr(transport, "_tempDataLen") else None


class Downstreams:
    """ASGI middleware of the composition root: lends each HTTP request its connection, where the server is Daphne.

    A server that ends cancels its applications. Django's would leave the view behind, half run; it is told that the
    client has gone instead, which ends views and what they hold in good order.
    """

    def __init__(self, application: Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Daphne's ``send`` is partial(server.handle_reply, request).
        request = send.args[0] if isinstance(send, partial) and send.args else None
        downstream = Downstream(request) if hasattr(request, "channel") else None
        if downstream is not None:
            scope = {**scope, "extensions": {**(scope.get("extensions") or {}), EXTENSION: downstream}}
        told = Told(receive)
        work = start(self.application(scope, told, send), "request")
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            if downstream is not None:
                downstream.stopping = True
            told.gone()
            await asyncio.wait({work}, timeout=FAREWELL)
            work.cancel()
            await finish(SETTLING)
            raise


class Told:
    """``receive``, which says that the client has gone as soon as :meth:`gone` was called."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._gone = asyncio.Event()

    def gone(self) -> None:
        self._gone.set()

    async def __call__(self) -> Any:
        message = asyncio.ensure_future(self._receive())
        gone = asyncio.ensure_future(self._gone.wait())
        try:
            await asyncio.wait({message, gone}, return_when=asyncio.FIRST_COMPLETED)
            return message.result() if message.done() else {"type": "http.disconnect"}
        finally:
            message.cancel()
            gone.cancel()


def name_statuses() -> None:
    """Give Twisted the reasons that it lacks: of 429 and others it says "Unknown Status"."""
    from twisted.web.http import RESPONSES  # at once it would cost every command its start

    reasons = REASONS | {status.value: status.phrase for status in HTTPStatus}
    for status, phrase in reasons.items():
        RESPONSES.setdefault(status, phrase.encode())


def downstream_of(scope: Scope) -> Downstream | None:
    found = (scope.get("extensions") or {}).get(EXTENSION)
    return found if isinstance(found, Downstream) else None
