"""A kept connection: stamped per socket read over HTTP/1.1 and HTTP/2, used again, left at rest, closed under us."""

from __future__ import annotations

import asyncio

import pytest

from harness.lab.server import running
from harness.probe.kept import KeptConnection
from harness.routes.model import Hop, Route, Timeouts
from harness.tests.probe.fake_http2 import EVENTS, Http2Upstream
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk

SOON = Timeouts(5, 5, 10)
SAID = [{"role": "user", "content": "count [[lab events=8 rate=50]]"}]
WORD = b'data: {"choices":[{"index":0,"delta":{"content":"x "}}]}\n\n'


def route(url: str) -> Route:
    return Route("r", (Hop("engine", url=url),), "lab-steady", SOON)


async def chats(url: str, count: int = 1, *, http2: bool = False):
    way = route(url)
    async with KeptConnection(way, way.outermost, http2=http2) as kept:
        return [await kept.chat(SAID) for _ in range(count)], kept


async def test_http_2_is_stamped_by_socket_reads_and_carries_two_answers():
    async with Http2Upstream() as upstream:
        captures, kept = await chats(upstream.url, 2, http2=True)
        assert (upstream.connections, upstream.requests, kept.opened) == (1, 2, 1)
    for capture in captures:
        assert capture.head.http == "2" and capture.head.status == 200 and capture.end.kind == "complete"
        assert capture.body.count(b"data: {") == EVENTS + 1 and capture.body.endswith(b"[DONE]\n\n")
        assert len(capture.times) >= EVENTS and list(capture.times) == sorted(capture.times)
        assert capture.times[-1] - capture.times[0] >= 0.8 * EVENTS * 25


async def test_what_one_read_brings_is_one_read():
    async with Http2Upstream("lumps") as upstream:
        (capture,), _ = await chats(upstream.url, http2=True)
    assert len(capture.times) <= 2 and capture.body.count(b"data: {") == EVENTS + 1


@pytest.mark.parametrize(
    ("fault", "kind", "detail"),
    [
        ("reset", "reset", "HTTP/2 stream closed"),
        ("goaway", "reset", "HTTP/2 connection closed"),
        ("garbage", "truncated", "not HTTP/2"),
        ("silent", "truncated", "not HTTP/2: no settings"),
    ],
)
async def test_each_way_to_fail_has_an_end_of_its_own(fault, kind, detail, monkeypatch):
    monkeypatch.setattr("harness.probe.kept.GREETING", 0.3)
    async with Http2Upstream(fault) as upstream:
        (capture,), _ = await chats(upstream.url, http2=True)
    assert capture.end.kind == kind and capture.end.detail.startswith(detail), capture.end
    assert (capture.head is not None) == (fault in ("reset", "goaway"))


async def test_the_lab_knows_no_http_2_and_says_so_at_once():
    async with running() as lab:
        (capture,), _ = await chats(f"{lab.base}/v1", http2=True)
    assert capture.head is None and capture.end.t < 2000, capture.end


async def test_a_second_answer_goes_over_the_first_one_s_connection_and_is_stamped():
    async def script(talk: Talk) -> None:
        while True:
            await talk.send(HEAD)
            for _ in range(5):
                await talk.send(chunk(WORD))
                await asyncio.sleep(0.01)
            await talk.send(LAST)
            await talk.read_request()

    async with Upstream(script) as upstream:
        captures, kept = await chats(upstream.url, 2)
        assert kept.opened == 1 and len(upstream.talks) == 1
    assert [len(c.times) for c in captures] == [5, 5] and captures[0].exchange != captures[1].exchange
    assert all(c.end.kind == "complete" and c.times[-1] - c.times[0] >= 30 for c in captures)


async def test_a_server_that_closes_a_resting_connection_is_seen_to():
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(WORD), LAST)
        await asyncio.sleep(0.2)
        talk.finish()

    async with Upstream(script) as upstream:
        way = route(upstream.url)
        async with KeptConnection(way, way.outermost) as kept:
            await kept.chat(SAID)
            closed = await kept.quiet(5)
            assert closed is not None and 0.1 <= closed < 5
            await kept.chat(SAID)
            assert kept.opened == 2


async def test_an_open_connection_rests_as_long_as_it_is_told():
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(WORD), LAST)
        await talk.gone()

    async with Upstream(script) as upstream:
        way = route(upstream.url)
        async with KeptConnection(way, way.outermost) as kept:
            await kept.chat(SAID)
            assert await kept.quiet(0.1) is None


async def test_nobody_at_the_address_is_refused():
    (capture,), kept = await chats("http://127.0.0.1:1/v1")
    assert (capture.end.kind, capture.end.detail, kept.opened) == ("reset", "refused", 0)
