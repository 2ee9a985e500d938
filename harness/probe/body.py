"""The body of an opened response: pulled one socket read at a time, or poured into a sink as it comes."""

from __future__ import annotations

from collections.abc import Callable

from harness.probe.backend import StampedStream
from harness.probe.framing import Framing

Sink = Callable[[bytes], None]


class Body:
    """``read_ns``: when the read came that brought the latest bytes. ``patience``: seconds between two reads.

    Both ways raise FramingError for bytes that the head did not announce, and end when the framing or the connection
    does; :attr:`whole` says which it was.
    """

    def __init__(self, stream: StampedStream, framing: Framing, rest: bytes, patience: float) -> None:
        """``rest``: what came in the read that brought the head."""
        self.read_ns = stream.read_ns
        self._socket = stream.socket
        self._framing = framing
        self._rest = rest
        self._patience = patience

    @property
    def whole(self) -> bool:
        """Whether the body is complete, as far as its framing can tell."""
        socket = self._socket
        return self._framing.done or (
            self._framing.open_ended and socket.eof and socket.lost is None and not socket.why
        )

    @property
    def ended_ns(self) -> int:
        return self.read_ns if self._framing.done else self._socket.ended_ns

    async def next(self) -> bytes:
        """The bytes of the next read that brings any, b"" at the end."""
        raw, self._rest = self._rest, b""
        while True:
            data = self._framing.feed(raw) if raw else b""
            if data or self._framing.done or not await self._socket.readable(self._patience):
                return data
            self.read_ns, raw = self._socket.take()

    async def pour(self, sink: Sink) -> None:
        """Hand each read's bytes to ``sink`` in the very callback in which the event loop delivers the read.

        That saves two turns of the loop an event. What ``sink`` raises is raised here.
        """
        failed: list[Exception] = []

        def take(stamp: int, raw: bytes) -> None:
            if failed or self._framing.done:
                return
            self.read_ns = stamp
            try:
                data = self._framing.feed(raw)
                if data:
                    sink(data)
            except Exception as error:  # the loop would swallow it here; raised below, where somebody waits
                failed.append(error)
            if failed or self._framing.done:
                self._socket.wake()

        raw, self._rest = self._rest, b""
        if raw:
            take(self.read_ns, raw)
        while self._socket.reads:
            take(*self._socket.take())
        self._socket.sink = take
        try:
            if not failed and not self._framing.done:
                await self._socket.quiet(self._patience)
        finally:
            self._socket.sink = None
        if failed:
            raise failed[0]
