"""The relay: an upstream's body to the browser, byte for byte, one message per socket read, both sides stamped."""

from __future__ import annotations

import asyncio
from time import perf_counter_ns

from harness.probe.downstream import Downstream
from harness.probe.upstream import Exchange
from harness.tasks import start

UNSENT_LIMIT = 8 * 1024 * 1024  # bytes that a reader may leave unacknowledged: the server's send never waits


class UpstreamCut(Exception):
    """The upstream broke in the middle, and the server gives no other way to pass that on."""


class Relay:
    """An async iterator for a streaming response, over an opened exchange.

    It stops only where the upstream's framing said so. A cut upstream cuts the browser's connection; a browser that
    leaves closes the upstream. ``first``: bytes that were read before the status was chosen. The server calls
    :meth:`close` from any thread, also when it never iterated.
    """

    def __init__(self, exchange: Exchange, downstream: Downstream | None) -> None:
        self.exchange = exchange
        self.downstream = downstream
        self.first = b""
        self._begun = False
        self._upto = 0  # bytes given to the server
        self._ended = False

    def __aiter__(self) -> Relay:
        return self

    async def __anext__(self) -> bytes:
        if not self._begun:
            self._begun = True
            if self.downstream is not None:
                self.downstream.hasten()
            return b""  # Twisted keeps the head back until the first write, so this lets the browser have it now
        try:
            data, self.first = self.first, b""
            if self.downstream is not None:
                if data:
                    self._hand_on(data)
                await self.exchange.pour(self._hand_on)
                data = b""
            elif not data:
                data = await anext(self.exchange, b"")
            if not data:
                await self._stop()
        except asyncio.CancelledError:
            self._leave()
            raise
        self._written(perf_counter_ns(), data)
        return data

    def _hand_on(self, data: bytes) -> None:
        """One read to the server, in the callback that delivered it: no turn through iterators and tasks."""
        assert self.downstream is not None
        if self.downstream.unsent() > UNSENT_LIMIT:
            self.exchange.close("slow-reader")
            self.downstream.abort()
            return
        # Taken before the hand-over: bytes must not arrive at the browser before they are written here.
        stamp = perf_counter_ns()
        self.downstream.send(data)
        self._written(stamp, data)

    def _written(self, stamp: int, data: bytes) -> None:
        """The hand-over of ``data`` to the server began at ``stamp``."""
        self._upto += len(data)
        self.exchange.recorder.on_write(stamp, self._upto)

    async def _stop(self) -> None:
        """The upstream has ended: end alike."""
        end = self.exchange.end
        if end is None or end.kind == "complete":
            self._end("complete")
            raise StopAsyncIteration
        if end.kind == "aborted":
            self._end("aborted", end.detail)
        else:
            self._end("truncated", f"upstream: {end.kind} {end.detail}".rstrip())
        if self.downstream is None:
            raise UpstreamCut(end.kind)
        self.downstream.cut()
        await self._gone()

    async def _gone(self) -> None:
        """Wait until the server has noticed that the connection is closed, and cancels us."""
        await asyncio.get_running_loop().create_future()

    def refuse(self, what: str) -> None:
        """The browser got an answer of our own instead of the upstream's."""
        self.exchange.close("refused")
        self._end("complete", what)
        start(self.exchange.aclose(), "relay-close")

    def _leave(self) -> None:
        detail = "server-stopping" if self.downstream is not None and self.downstream.stopping else "client-left"
        self.exchange.close(detail)
        self._end("aborted", detail)

    def _end(self, kind: str, detail: str = "") -> None:
        if not self._ended:
            self._ended = True
            self.exchange.recorder.on_end("write", perf_counter_ns(), kind, detail)

    def close(self) -> None:
        """Close both sides of the record; from any thread, any number of times."""
        self.exchange.loop.call_soon_threadsafe(self._close)

    def _close(self) -> None:
        self._leave()
        start(self.exchange.aclose(), "relay-close")
