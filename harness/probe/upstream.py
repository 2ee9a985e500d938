"""One streamed exchange: opened, read one socket read at a time, stamped, and ended in exactly one way.

The outcome is data, not an exception: after :meth:`Exchange.open` there is a ``head``, or an ``end`` that says why
there is none. Only cancellation travels as an exception, and it closes the upstream on its way.
"""

from __future__ import annotations

import asyncio
from time import perf_counter_ns
from typing import Any

import httpx
import orjson

from harness.capture.mask import mask_body, mask_headers, mask_url
from harness.capture.model import Capture, End, Head, Headers, Request
from harness.capture.veil import Veil
from harness.probe.backend import StampedStream
from harness.probe.body import Body, Sink
from harness.probe.clock import wall
from harness.probe.ending import MAPPED, judged
from harness.probe.framing import FramingError, after_head, framing_of
from harness.probe.recorder import MemoryRecorder, NullRecorder, Recorder
from harness.probe.request import Ask
from harness.probe.transport import StampingTransport, limits
from harness.routes.model import Hop, Timeouts

MOST_BYTES = 64 * 1024 * 1024  # of one body: a flood ends here (`timeout`, `size`), and not with the memory


class Exchange:
    """``async for data in exchange`` gives the body, one item per socket read that brought any.

    ``head.t`` and ``end.t`` are ms since the request was sent. :meth:`close` may be called from any thread, any
    number of times.
    """

    def __init__(self, asked: Ask, hop: Hop, timeouts: Timeouts, recorder: Recorder | None = None) -> None:
        self.asked = asked
        self.timeouts = timeouts
        self.recorder = recorder or NullRecorder()
        self.head: Head | None = None
        self.raw_headers: Headers = ()  # as they came, unmasked: for passing on, never for keeping
        self.end: End | None = None
        self.sent_ns = 0
        self.size = 0
        self.loop = asyncio.get_running_loop()
        self._veil = Veil(asked.headers)
        self._transport = StampingTransport(hop)
        self._client = httpx.AsyncClient(transport=self._transport, timeout=limits(timeouts), trust_env=False)
        self._response: httpx.Response | None = None
        self._body: Body | None = None
        self._clock: asyncio.TimerHandle | None = None
        self._opening: asyncio.Task[Any] | None = None
        self._expired = False

    @property
    def stream(self) -> StampedStream | None:
        return self._transport.backend.stream

    async def open(self) -> None:
        """Connect, send, and wait for the response's head."""
        began = perf_counter_ns()
        self._clock = self.loop.call_later(self.timeouts.total, self._expire)
        self._opening = asyncio.current_task()
        try:
            request = self._client.build_request(
                "POST", self.asked.url, headers=list(self.asked.headers), content=orjson.dumps(self.asked.body)
            )
            self._response = await self._client.send(request, stream=True)
        except MAPPED as error:
            self._begun(began)
            self._finish(error)
            await self.aclose()
            return
        except asyncio.CancelledError:
            self._begun(began)
            if self._expired:
                assert self._opening is not None
                self._opening.uncancel()
                self._finish(httpx.ConnectTimeout("total"))
                await self.aclose()
                return
            self.close("client-left")
            raise
        finally:
            self._opening = None
        self._begun(began)
        self._headed(self._response)

    def _expire(self) -> None:
        """The third tier: whatever the exchange is waiting for, it ends now."""
        self._expired = True
        if self.stream is not None:
            self.stream.socket.fail("total")
        elif self._opening is not None:
            self._opening.cancel()

    def _begun(self, opened_ns: int) -> None:
        self.sent_ns = (self.stream.sent_ns if self.stream else 0) or opened_ns
        request = Request(
            "POST", mask_url(self.asked.url), mask_headers(self.asked.headers), mask_body(self.asked.body)
        )
        self.recorder.on_begin("read", self.sent_ns, wall(self.sent_ns), request)

    def _headed(self, response: httpx.Response) -> None:
        assert self.stream is not None
        read_ns = self.stream.read_ns
        self.raw_headers = tuple((k.decode("latin-1").lower(), v.decode("latin-1")) for k, v in response.headers.raw)
        http = response.http_version.removeprefix("HTTP/")
        masked = self._veil.headers(mask_headers(self.raw_headers))
        self.head = Head((read_ns - self.sent_ns) / 1e6, response.status_code, http, masked)
        self.recorder.on_head("read", read_ns, response.status_code, http, masked)
        framing = framing_of(response.status_code, self.raw_headers)
        self._body = Body(self.stream, framing, after_head(self.stream.received), self.timeouts.read)

    def __aiter__(self) -> Exchange:
        return self

    async def __anext__(self) -> bytes:
        """The body bytes of the next socket read that brings any; stops at the end, however it ended."""
        body = self._body
        if self.end is not None or body is None:
            raise StopAsyncIteration
        data = b""
        try:
            data = await body.next()
        except FramingError as error:
            self._finish(error)
        except asyncio.CancelledError:
            self.close("client-left")
            raise
        if data:
            self._count(body, data)
            return data
        await self._over(body)
        raise StopAsyncIteration

    async def pour(self, sink: Sink) -> None:
        """The rest of the body into ``sink``, each read in the callback that delivers it; returns at the end."""
        body = self._body
        if self.end is not None or body is None:
            return

        def take(data: bytes) -> None:
            self._count(body, data)
            sink(data)

        try:
            await body.pour(take)
        except FramingError as error:
            self._finish(error)
        except asyncio.CancelledError:
            self.close("client-left")
            raise
        await self._over(body)

    def _count(self, body: Body, data: bytes) -> None:
        self.size += len(data)
        self.recorder.on_read(body.read_ns, self._veil.hide(data))
        if self.size > MOST_BYTES and self.stream is not None:
            self.stream.socket.fail("size")

    async def _over(self, body: Body) -> None:
        """The body has ended."""
        self._finish(None if body.whole else httpx.ReadError("closed"), ended_ns=body.ended_ns)
        await self.aclose()

    def _finish(self, error: Exception | None, kind: str = "", detail: str = "", ended_ns: int = 0) -> None:
        """Set the end once; the connection's own facts (FIN, reset, our limit) outrank the error's wording."""
        if self.end is not None:
            return
        socket = self.stream.socket if self.stream else None
        if not kind:
            received = self.stream.received if self.stream else b""
            kind, detail = judged(error, socket, headed=self.head is not None, received=received)
            ended_ns = ended_ns or (socket.ended_ns if socket else 0)
        now = ended_ns or perf_counter_ns()
        self.end = End(max(0.0, (now - (self.sent_ns or now)) / 1e6), kind, detail)
        if self._clock is not None:
            self._clock.cancel()
        self.recorder.on_end("read", now, kind, detail)

    def close(self, detail: str = "closed") -> None:
        """Close the upstream now. An exchange that had not ended ends as ``aborted`` with that detail."""
        try:
            inside = asyncio.get_running_loop() is self.loop
        except RuntimeError:
            inside = False
        if inside:
            self._close(detail)
        elif not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._close, detail)

    def _close(self, detail: str) -> None:
        self._finish(None, "aborted", detail)
        if self.stream is not None:
            self.stream.socket.fail(detail)

    async def aclose(self) -> None:
        """Release what httpx holds; the end is set before."""
        if self.stream is not None:
            self.stream.socket.fail("closed")
        if self._response is not None:
            await self._response.aclose()
        await self._client.aclose()

    def capture(self) -> Capture:
        """The read tap so far. Only for an exchange that records in memory."""
        assert isinstance(self.recorder, MemoryRecorder)
        return self.recorder.capture("read")
