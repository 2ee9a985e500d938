"""Leave an exchange at a chosen moment: before its text, after some of it, by the clock, or in the first silence."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from harness.capture.model import Capture
from harness.probe.clock import host_clock
from harness.probe.exchange import open_exchange
from harness.probe.recorder import MemoryRecorder
from harness.routes.model import Hop, Route
from harness.wire.decode import decode
from harness.wire.stream import CONTENT

EARLY = 0.4  # seconds that a head may take before we leave without it

Look = Callable[[], Awaitable[object]]
"""Called at the last moment before the close, while the engine still works."""


async def _nothing() -> None:
    return None


async def leave_early(route: Route, hop: Hop, prompt: str, key: str, look: Look = _nothing) -> Capture:
    """Leave right after the head, or without one: SGLang for one sends it with the first token."""
    wire = "" if hop.wire == "chat" else hop.wire
    recorder = MemoryRecorder(Capture(hop.name, hop.kind, "read", wire, key, route.name), host_clock())
    with suppress(TimeoutError):
        async with (
            asyncio.timeout(EARLY),
            open_exchange(route, hop, _said(prompt), exchange_id=key, probing=True, recorder=recorder) as exchange,
        ):
            await look()
            exchange.close("client-left")
    return recorder.capture("read")


async def leave_after(route: Route, hop: Hop, prompt: str, key: str, reads: int, look: Look = _nothing) -> Capture:
    """Leave once that many reads with body bytes have come."""
    async with open_exchange(route, hop, _said(prompt), exchange_id=key, probing=True) as exchange:
        count = 0
        async for _ in exchange:
            count += 1
            if count == reads:
                await look()
                break
        exchange.close("client-left")
        return exchange.capture()


async def leave_at(route: Route, hop: Hop, prompt: str, key: str, seconds: float) -> Capture:
    """Leave by the clock, so many seconds after the head."""
    async with open_exchange(route, hop, _said(prompt), exchange_id=key, probing=True) as exchange:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for _ in exchange:
                    pass
        exchange.close("client-left")
        return exchange.capture()


async def leave_in_silence(
    route: Route, hop: Hop, prompt: str, key: str, silence: float, within: float
) -> tuple[Capture, bool]:
    """Leave at the first ``silence`` seconds without content after the first content; and whether they came.

    Heartbeats break no silence. Leaves in any case ``within`` seconds after the head; an answer may end before.
    """
    loop = asyncio.get_running_loop()
    async with open_exchange(route, hop, _said(prompt), exchange_id=key, probing=True) as exchange:
        wire, pending = "" if hop.wire == "chat" else hop.wire, b""
        until, since, quiet = loop.time() + within, 0.0, False
        with suppress(TimeoutError, StopAsyncIteration):
            while True:
                limit = min(until, since + silence) if since else until
                quiet = bool(since) and limit < until  # what is true if this wait is the last
                async with asyncio.timeout_at(limit):
                    data = await anext(exchange)
                whole, pending = _events(pending + data)
                spoken, over = _said_in(Capture(hop.name, wire=wire, head=exchange.head), whole)
                since = 0.0 if over else loop.time() if spoken else since  # what is late at the end is the close
        ended = exchange.end is not None and exchange.end.kind != "aborted"
        exchange.close("client-left")
        return exchange.capture(), quiet and not ended


def _events(data: bytes) -> tuple[bytes, bytes]:
    """Whole events (of lines, where they are records) and the beginning of the next."""
    marks = (b"\n\n", b"\r\n\r\n", b"\r\r") if data.lstrip()[:1] != b"{" else (b"\n",)
    end = max(data.rfind(mark) + len(mark) if mark in data else 0 for mark in marks)
    return data[:end], data[end:]


def _said_in(template: Capture, events: bytes) -> tuple[bool, bool]:
    """Whether these events hold text, and whether they end the answer."""
    stream = decode(replace(template, body=events, times=array("d", [0.0]), ends=array("Q", [len(events)])))
    return any(kind in CONTENT for kind in stream.kinds), bool(stream.finishes or stream.terminators)


def _said(prompt: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": prompt}]
