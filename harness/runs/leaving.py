"""Leave an exchange at a chosen moment: before its text, after some of it, by the clock, or in the first silence."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from harness.capture.model import Capture
from harness.probe.clock import host_clock
from harness.probe.exchange import open_exchange
from harness.probe.recorder import MemoryRecorder
from harness.routes.model import Hop, Route
from harness.wire.decoder import Decoder
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
        decoder = Decoder("" if hop.wire == "chat" else hop.wire, exchange.head)
        until, since, quiet = loop.time() + within, 0.0, False
        with suppress(TimeoutError, StopAsyncIteration):
            while True:
                limit = min(until, since + silence) if since else until
                quiet = bool(since) and limit < until  # what is true if this wait is the last
                async with asyncio.timeout_at(limit):
                    data = await anext(exchange)
                now = loop.time()
                if any(decoder.stream.kinds[n] in CONTENT for n in decoder.feed(data, now * 1000)):
                    since = now
                if decoder.stream.finishes or decoder.stream.terminators:
                    since = 0.0  # all is said; what is late now is the close
        ended = exchange.end is not None and exchange.end.kind != "aborted"
        exchange.close("client-left")
        return exchange.capture(), quiet and not ended


def _said(prompt: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": prompt}]
