"""The relay without Daphne: the server's send is awaited, and a cut can only be an exception."""

from __future__ import annotations

import asyncio
from time import perf_counter_ns

import pytest

from chat.relay import Relay, UpstreamCut
from harness.capture.model import Capture, Request
from harness.probe.clock import host_clock
from harness.probe.recorder import MemoryRecorder
from harness.probe.request import ask
from harness.probe.upstream import Exchange
from harness.routes.model import Hop, Route
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk, in_turns

SAID = [{"role": "user", "content": "hi"}]


def opened(url: str) -> Exchange:
    hop = Hop("gateway", "gateway", url=url)
    route = Route("r", (hop,), "m")
    template = Capture("gateway", "gateway", "read", "openai", "e", "r")
    wish = ask(route, hop, SAID, exchange_id="e")
    return Exchange(wish, hop, route.timeouts, MemoryRecorder(template, host_clock()))


async def test_each_read_is_one_item_and_write_follows_read():
    script, go = in_turns(b"one", b"two")
    async with Upstream(script) as upstream:
        exchange = opened(upstream.url)
        await exchange.open()
        items = []
        async for item in Relay(exchange, None):
            items.append(item)
            go.set()
    assert items == [b"", b"one", b"two"]
    read, write = exchange.recorder.capture("read"), exchange.recorder.capture("write")
    assert list(read.ends) == list(write.ends) == [3, 6] and write.body is None
    assert (read.end.kind, write.end.kind) == ("complete", "complete")
    assert (read.hop, write.hop, write.kind, write.tap) == ("gateway", "app", "app", "write")


@pytest.mark.parametrize("how", ["finish", "reset"])
async def test_a_cut_upstream_is_raised_never_a_good_end(how):
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(b"one"))
        await asyncio.sleep(0.05)
        getattr(talk, how)()

    async with Upstream(script) as upstream:
        exchange = opened(upstream.url)
        await exchange.open()
        relay, items = Relay(exchange, None), []
        with pytest.raises(UpstreamCut):
            async for item in relay:
                items.append(item)
        relay.close()
        await asyncio.sleep(0)
    kind = {"finish": "truncated", "reset": "reset"}[how]
    assert items == [b"", b"one"]
    assert exchange.recorder.capture("read").end.kind == kind
    write = exchange.recorder.capture("write").end
    assert (write.kind, write.detail) == ("truncated", f"upstream: {kind}")


async def test_closing_from_a_thread_ends_both_taps_and_the_upstream():
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(b"one"))
        await talk.gone()

    async with Upstream(script) as upstream:
        exchange = opened(upstream.url)
        await exchange.open()
        relay = Relay(exchange, None)
        assert [await anext(relay), await anext(relay)] == [b"", b"one"]
        for _ in range(2):
            await asyncio.to_thread(relay.close)
        await asyncio.wait_for(upstream.talks[0].closed.wait(), 5)
    ends = [exchange.recorder.capture(tap).end for tap in ("read", "write")]
    assert [(end.kind, end.detail) for end in ends] == [("aborted", "client-left")] * 2


class Quick:
    """A connection whose reader has each piece before ``send`` returns, as a reader on the same host may."""

    def __init__(self) -> None:
        self.arrived: list[int] = []

    def unsent(self) -> int:
        return 0

    def hasten(self) -> None:
        pass

    def send(self, data: bytes) -> None:
        self.arrived.append(perf_counter_ns())


async def test_no_byte_arrives_before_it_is_written():
    async def script(talk: Talk) -> None:
        await talk.send(HEAD)
        for text in (b"one", b"two", b"three"):
            await talk.send(chunk(text))
            await asyncio.sleep(0.01)
        await talk.send(LAST)

    async with Upstream(script) as upstream:
        exchange, browser = opened(upstream.url), Quick()
        began = perf_counter_ns()
        exchange.recorder.on_begin("write", began, "", Request("POST", "http://app/chat/stream"))
        await exchange.open()
        relay = Relay(exchange, browser)
        relay.first = await anext(exchange)  # read before the status was chosen: it goes the same way
        async for _ in relay:
            pass
    read, write = exchange.recorder.capture("read"), exchange.recorder.capture("write")
    written = [began + t * 1e6 for t in write.times]
    sent = exchange.sent_ns
    assert list(read.ends) == list(write.ends) and len(browser.arrived) == len(written) >= 2
    assert all(w <= a for w, a in zip(written, browser.arrived, strict=True))
    assert all(sent + r * 1e6 <= w + 1 for r, w in zip(read.times, written, strict=True))
