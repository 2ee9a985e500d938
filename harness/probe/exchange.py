"""Exchanges with a hop: opened for whoever reads them, or probed whole into a capture."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

from harness.capture.model import Capture
from harness.probe.clock import host_clock
from harness.probe.recorder import MemoryRecorder, Recorder
from harness.probe.request import Messages, ask
from harness.probe.upstream import Exchange
from harness.routes.model import Hop, Route


@asynccontextmanager
async def open_exchange(
    route: Route,
    hop: Hop,
    messages: Messages,
    *,
    exchange_id: str = "",
    stream: bool = True,
    probing: bool = False,
    body_extra: Mapping[str, Any] | None = None,
    recorder: Recorder | None = None,
) -> AsyncIterator[Exchange]:
    """An opened exchange with ``hop`` of ``route``; on leaving, the upstream is closed. ``recorder``: memory."""
    exchange_id = exchange_id or uuid4().hex
    asked = ask(route, hop, messages, exchange_id=exchange_id, stream=stream, probing=probing, body_extra=body_extra)
    template = Capture(hop.name, hop.kind, "read", asked.wire, exchange_id, route.name)
    exchange = Exchange(asked, hop, route.timeouts, recorder or MemoryRecorder(template, host_clock()))
    try:
        await exchange.open()
        yield exchange
    finally:
        exchange.close()
        await exchange.aclose()


async def probe(
    route: Route,
    hop: Hop,
    *,
    prompt: str = "",
    messages: Messages | None = None,
    exchange_id: str = "",
    body_extra: Mapping[str, Any] | None = None,
    stream: bool = True,
    repeat: int | None = None,
    client_leaves_after: int | None = None,
) -> Capture:
    """One exchange with ``hop``, whole, over a fresh connection. Never raises for what the upstream does.

    ``client_leaves_after``: close our side once that many reads with body bytes have come (0: right after the head).
    """
    said = messages if messages is not None else [{"role": "user", "content": prompt}]
    async with open_exchange(
        route, hop, said, exchange_id=exchange_id, stream=stream, probing=True, body_extra=body_extra
    ) as exchange:
        reads = 0
        if client_leaves_after != 0:
            async for _ in exchange:
                reads += 1
                if reads == client_leaves_after:
                    break
        exchange.close("client-left")
        return replace(exchange.capture(), repeat=repeat)
