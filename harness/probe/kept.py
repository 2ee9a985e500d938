"""A stamped connection that is kept between exchanges, over HTTP/1.1 or HTTP/2: what a client's pool does.

Chats and probes take a fresh HTTP/1.1 connection each (:mod:`harness.probe.upstream`); this is for finding out what a
hop does to those who do otherwise. httpx hands out HTTP's own pieces, each stamped with the socket read it came in.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from time import perf_counter_ns
from typing import Any
from uuid import uuid4

import httpx
import orjson
from h2.exceptions import H2Error

from harness.capture.mask import mask_body, mask_headers, mask_url
from harness.capture.model import Capture, Request
from harness.probe.backend import StampedStream
from harness.probe.clock import host_clock, wall
from harness.probe.ending import MAPPED, judged
from harness.probe.recorder import MemoryRecorder
from harness.probe.request import Ask, Messages, ask
from harness.probe.transport import StampingTransport, limits
from harness.routes.model import Hop, Route

GREETING = 3.0  # seconds in which a server that speaks HTTP/2 has sent its settings
LOOK = 0.1  # seconds between two looks at what it said first
SILENT = "not HTTP/2: no settings came"
_SENT = ("http11.send_request_headers.started", "http2.send_request_headers.started")


class KeptConnection:
    """``async with KeptConnection(route, hop) as kept``. ``opened``: connections so far, 1 while the first serves."""

    def __init__(self, route: Route, hop: Hop, *, http2: bool = False) -> None:
        self.route, self.hop, self.http2 = route, hop, http2
        self._guard: asyncio.TimerHandle | None = None
        self._transport = StampingTransport(hop, http2=http2, keep=True)
        self._client = httpx.AsyncClient(transport=self._transport, timeout=limits(route.timeouts), trust_env=False)

    async def __aenter__(self) -> KeptConnection:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._client.aclose()

    @property
    def opened(self) -> int:
        return self._transport.backend.opened

    @property
    def stream(self) -> StampedStream | None:
        return self._transport.backend.stream

    async def chat(self, messages: Messages) -> Capture:
        """One exchange, whole, over the connection if it is still open. Never raises for what the upstream does."""
        key, route, hop = uuid4().hex, self.route, self.hop
        asked = ask(route, hop, messages, exchange_id=key, probing=True)
        template = Capture(hop.name, hop.kind, "read", asked.wire, key, route.name, meta={"connection": "kept"})
        recorder = MemoryRecorder(template, host_clock())
        error = await self._exchange(asked, recorder)
        kind, detail = self._end(error, headed="read" in recorder.heads)
        stream = self.stream
        last = 0 if stream is None else stream.read_ns if error is None else stream.socket.ended_ns
        recorder.on_end("read", last or perf_counter_ns(), kind, detail)
        return recorder.capture("read")

    def _end(self, error: Exception | None, *, headed: bool) -> tuple[str, str]:
        socket = self.stream.socket if self.stream else None
        if isinstance(error, TimeoutError):
            return "timeout", "total"
        told = str(error)
        if self.http2 and ("StreamReset" in told or "ConnectionTerminated" in told):
            code = re.search(r"error_code:\s*(?:<\w+\.)?(\w+)", told)
            what = "stream" if "StreamReset" in told else "connection"
            return "reset", f"HTTP/2 {what} closed, code {code[1] if code else 'unknown'}"
        if self.http2 and error is not None and socket is not None and not headed:
            return "truncated", socket.why if socket.why == SILENT else "not HTTP/2"
        if isinstance(error, H2Error):
            return "truncated", f"not HTTP/2: {error}"
        return judged(error, socket, headed=headed)

    async def quiet(self, seconds: float) -> float | None:
        """Let the connection rest; after how many seconds the server closed it, None where it is still open."""
        if self.stream is None:
            return None
        began, socket = perf_counter_ns(), self.stream.socket
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not socket.over:  # what comes without having been asked for is left for the next exchange
                    await socket.quiet(None)
        return max(0.0, (socket.ended_ns - began) / 1e9) if socket.over else None

    async def _exchange(self, asked: Ask, recorder: MemoryRecorder) -> Exception | None:
        began: list[int] = []

        async def trace(event: str, info: Any) -> None:
            if event in _SENT:
                self._begin(asked, recorder, began)

        loop = asyncio.get_running_loop()
        if self.http2:
            self._guard = loop.call_later(LOOK, self._greeted, loop.time() + GREETING)
        try:
            async with asyncio.timeout(self.route.timeouts.total):
                request = self._client.build_request(
                    "POST", asked.url, headers=list(asked.headers), content=orjson.dumps(asked.body),
                    extensions={"trace": trace},
                )  # fmt: skip
                response = await self._client.send(request, stream=True)
                try:
                    await self._read(response, recorder)
                finally:
                    await response.aclose()
        except (*MAPPED, H2Error, TimeoutError) as error:
            if not began:
                self._begin(asked, recorder, began)
            return error
        finally:
            if self._guard is not None:
                self._guard.cancel()
        return None

    def _begin(self, asked: Ask, recorder: MemoryRecorder, began: list[int]) -> None:
        now = perf_counter_ns()
        began.append(now)
        request = Request("POST", mask_url(asked.url), mask_headers(asked.headers), mask_body(asked.body))
        recorder.on_begin("read", now, wall(now), request)

    async def _read(self, response: httpx.Response, recorder: MemoryRecorder) -> None:
        assert self.stream is not None
        headers = tuple((k.decode("latin-1").lower(), v.decode("latin-1")) for k, v in response.headers.raw)
        http = response.http_version.removeprefix("HTTP/")
        recorder.on_head("read", self.stream.read_ns, response.status_code, http, mask_headers(headers))
        at, pending = 0, bytearray()
        try:
            async for piece in response.aiter_raw():
                if pending and at != self.stream.read_ns:
                    recorder.on_read(at, bytes(pending))
                    pending.clear()
                at = self.stream.read_ns
                pending += piece
        finally:
            if pending:
                recorder.on_read(at, bytes(pending))

    def _greeted(self, until: float) -> None:
        """A server that knows no HTTP/2 may wait for the rest of a long request line; another says so in HTTP/1.1,
        which is a frame of megabytes to those who expect frames."""
        loop, stream = asyncio.get_running_loop(), self.stream
        said = stream is not None and stream.received.startswith(b"HTTP/1")
        if stream is not None and (said or (loop.time() > until and not stream.read_ns)):
            stream.socket.fail("not HTTP/2" if said else SILENT)
        elif loop.time() <= until:
            self._guard = loop.call_later(LOOK, self._greeted, until)
