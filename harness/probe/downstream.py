"""The browser's connection as the server holds it: how much of an answer is still unsent, and how to cut it.

An ASGI application can only end an answer well: under Daphne an iterator that raises in the middle leaves the
client's connection open, and one that stops sends the last chunk. A relay that launders nothing must be able to
close the connection without it, so it reaches for Twisted's transport behind ``send``.
"""

from __future__ import annotations

import fcntl
import struct
import termios
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Any

EXTENSION = "streamscope.downstream"
PATIENCE = 5.0  # seconds that a reader gets to take what was sent before the cut
KERNEL_SHARE = 1024 * 1024  # bytes in Twisted's buffer from which the kernel's buffer is asked too

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class Downstream:
    """One connection of Daphne. Everything here is for the event loop's thread and harmless once it is closed."""

    def __init__(self, request: Any) -> None:
        self._request = request  # daphne.http_protocol.WebRequest

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
    """ASGI middleware of the composition root: lends each HTTP request its connection, where the server is Daphne."""

    def __init__(self, application: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Daphne's ``send`` is partial(server.handle_reply, request).
        request = send.args[0] if isinstance(send, partial) and send.args else None
        if hasattr(request, "channel"):
            scope = {**scope, "extensions": {**(scope.get("extensions") or {}), EXTENSION: Downstream(request)}}
        await self.application(scope, receive, send)


def downstream_of(scope: Scope) -> Downstream | None:
    found = (scope.get("extensions") or {}).get(EXTENSION)
    return found if isinstance(found, Downstream) else None
