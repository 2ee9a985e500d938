"""A chat's server side as the relay would record it, without a relay."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter_ns

from harness.capture.model import Request
from harness.routes.model import Hop, Route
from harness.runs import live
from harness.runs.recorder import SpoolRecorder

ROUTE = Route("r", (Hop("engine", url="http://127.0.0.1:1/v1"),), model="m")
EVENT = b'data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def recorded(exchange: str, route: Route = ROUTE) -> SpoolRecorder:
    """A server side that has read one event and handed it on."""
    recorder = live.open_recorder(exchange, route)
    now = perf_counter_ns()
    recorder.on_begin("write", now, "", Request("POST", "http://app/chat/stream"))
    recorder.on_begin("read", now, "", Request("POST", "http://engine/v1/chat/completions"))
    recorder.on_head("read", now, 200, "1.1", (("content-type", "text/event-stream"),))
    recorder.on_read(now, EVENT)
    recorder.on_write(now, len(EVENT))
    return recorder


def ended(recorder: SpoolRecorder) -> None:
    recorder.on_end("read", perf_counter_ns(), "complete", "")
    recorder.on_end("write", perf_counter_ns(), "complete", "")


async def settled(exchange: str) -> None:
    """Wait until the exchange is stored with everything."""
    if exchange in live.running:
        await asyncio.wait_for(live.running[exchange].settled.wait(), 10)


@asynccontextmanager
async def closing() -> AsyncIterator[None]:
    """Whatever still runs at the end is closed and stored."""
    yield
    for exchange in list(live.running.values()):
        if exchange.recorder is not None:
            exchange.recorder.close()
            await settled(exchange.exchange)
    live.running.clear()
