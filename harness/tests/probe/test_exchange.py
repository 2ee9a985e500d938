"""One exchange: reads as the socket gave them, exactly one end, and an upstream that is closed at once."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from time import perf_counter_ns

import pytest

from harness.probe.exchange import open_exchange, probe
from harness.routes.model import Hop, Route, Timeouts
from harness.tests.probe.fakes import HEAD, LAST, Script, Talk, Upstream, chunk, in_turns

pytestmark = pytest.mark.alone

MESSAGES = [{"role": "user", "content": "hi"}]
QUICK = Timeouts(connect=5, read=0.2, total=20)


def route_to(url: str, timeouts: Timeouts = Timeouts(5, 20, 30), **hop: object) -> Route:  # noqa: B008  (frozen)
    return Route("r", (Hop("engine", url=url, **hop),), "m", timeouts)  # type: ignore[arg-type]


async def said(script: Script, timeouts: Timeouts = Timeouts(5, 20, 30)):  # noqa: B008
    async with Upstream(script) as upstream:
        route = route_to(upstream.url, timeouts)
        return await probe(route, route.outermost, prompt="hi")


async def test_twenty_chunks_of_one_read_are_one_row():
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, *[chunk(b"data: x\n\n")] * 20, LAST)

    capture = await said(script)
    assert list(capture.ends) == [180]
    assert capture.body == b"data: x\n\n" * 20
    assert capture.times[0] == capture.head.t  # the head came in that read too


async def test_reads_that_come_apart_are_rows_of_their_own_and_in_order():
    script, go = in_turns(b"one", b"two", b"three")
    async with Upstream(script) as upstream:
        route = route_to(upstream.url)
        async with open_exchange(route, route.outermost, MESSAGES) as exchange:
            items = []
            go.set()
            async for data in exchange:
                items.append(data)
                go.set()
        capture = exchange.capture()
    assert items == [b"one", b"two", b"three"]
    assert list(capture.ends) == [3, 6, 11]
    assert 0 < capture.head.t <= capture.times[0] < capture.times[1] < capture.times[2] <= capture.end.t


async def test_a_read_that_brings_only_framing_adds_no_row():
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(b"abc"))
        for part in (b"5", b"\r\n", b"hello", b"\r\n", b"0\r", b"\n\r\n"):
            await asyncio.sleep(0.01)
            await talk.send(part)

    capture = await said(script)
    assert list(capture.ends) == [3, 8]
    assert capture.end.kind == "complete"


async def framed(talk: Talk, framing: str, whole: bool) -> None:
    """Ten bytes of an answer of ten (``whole``) or more."""
    head = {
        "chunked": b"transfer-encoding: chunked\r\n\r\n",
        "length": b"content-length: %d\r\n\r\n" % (10 if whole else 20),
        "close": b"connection: close\r\n\r\n",
    }[framing]
    body = chunk(b"0123456789") if framing == "chunked" else b"0123456789"
    await talk.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n", head, body)
    await asyncio.sleep(0.02)  # the bytes arrive before what follows: a reset may overtake them otherwise
    if framing == "chunked" and whole:
        await talk.send(LAST)


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
async def test_an_end_that_the_framing_allows_is_complete(framing):
    async def script(talk: Talk) -> None:
        await framed(talk, framing, whole=True)
        talk.finish()

    capture = await said(script)
    assert (capture.end.kind, capture.body) == ("complete", b"0123456789")


@pytest.mark.parametrize("framing", ["chunked", "length"])
async def test_a_close_in_the_middle_is_truncated(framing):
    async def script(talk: Talk) -> None:
        await framed(talk, framing, whole=False)
        talk.finish()

    capture = await said(script)
    assert (capture.end.kind, capture.body) == ("truncated", b"0123456789")


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
async def test_a_reset_in_the_middle_is_a_reset(framing):
    async def script(talk: Talk) -> None:
        await framed(talk, framing, whole=False)
        talk.reset()

    capture = await said(script)
    assert (capture.end.kind, capture.body) == ("reset", b"0123456789")


async def test_silence_is_a_read_timeout_before_the_head_and_after_it():
    async def before(talk: Talk) -> None:
        await talk.gone()

    async def after(talk: Talk) -> None:
        await talk.send(HEAD, chunk(b"x"))
        await talk.gone()

    first, second = await said(before, QUICK), await said(after, QUICK)
    assert first.head is None and (first.end.kind, first.end.detail) == ("timeout", "read")
    assert (second.end.kind, second.end.detail, second.body) == ("timeout", "read", b"x")
    assert second.end.t - second.times[-1] >= 199


async def test_the_whole_exchange_has_a_limit_of_its_own():
    async def drips(talk: Talk) -> None:
        await talk.send(HEAD)
        while True:
            await talk.send(chunk(b"x"))
            await asyncio.sleep(0.02)

    capture = await said(drips, Timeouts(connect=5, read=5, total=0.3))
    assert (capture.end.kind, capture.end.detail) == ("timeout", "total")
    assert len(capture.times) > 1 and 200 <= capture.end.t < 3000


async def test_a_connection_that_is_never_made_is_a_connect_timeout():
    with socket.socket() as full:  # its backlog is full, so the kernel answers no further SYN
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
        route = route_to(f"http://127.0.0.1:{full.getsockname()[1]}/v1", Timeouts(connect=0.2, read=5, total=5))
        capture = await probe(route, route.outermost, prompt="hi")
        for filler in fillers:
            filler.close()
    assert capture.head is None and (capture.end.kind, capture.end.detail) == ("timeout", "connect")


@pytest.mark.parametrize(
    ("url", "detail"),
    [("http://127.0.0.1:1/v1", "refused"), ("http://nobody.invalid/v1", "dns")],
    ids=["refused", "dns"],
)
async def test_what_cannot_be_reached_is_a_reset_without_a_head_that_says_why(url, detail):
    route = route_to(url)
    capture = await probe(route, route.outermost, prompt="hi")
    assert capture.head is None and capture.end.kind == "reset" and capture.end.detail.startswith(detail)
    assert capture.sent_at.endswith("Z")


async def test_plain_http_behind_an_https_address_is_a_tls_failure():
    async with Upstream(lambda talk: talk.gone()) as upstream:

        async def garbage(reader, writer):
            await reader.read(10)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(garbage, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        route = route_to(f"https://127.0.0.1:{port}/v1")
        capture = await probe(route, route.outermost, prompt="hi")
        server.close()
    assert capture.end.kind == "reset" and capture.end.detail.startswith("tls")
    assert upstream.talks == []


@pytest.mark.parametrize("hangs_up", [False, True], ids=["stays", "hangs-up"])
@pytest.mark.parametrize(
    ("answer", "kind", "detail"),
    [
        (b"", "truncated", "closed before the head"),
        (b"SSH-2.0-OpenSSH_9\r\n\r\n", "truncated", "not HTTP"),
        (HEAD + b"zz\r\nhello", "truncated", "not HTTP"),
        (HEAD[:-2] + b"x: %s\r\n" % (b"y" * 500_000), "truncated", "head too large"),
    ],
    ids=["nothing", "other-protocol", "bad-chunk-size", "head-without-end"],
)
async def test_what_is_not_http_is_said_so(answer, kind, detail, hangs_up):
    async def script(talk: Talk) -> None:
        await talk.send(answer)
        if hangs_up or not answer:
            talk.finish()
        await talk.gone()

    capture = await said(script, Timeouts(5, 2, 5))
    assert capture.end.kind == kind and capture.end.detail.startswith(detail)


async def test_a_reset_before_the_head_is_told_from_a_refusal():
    async def script(talk: Talk) -> None:
        talk.reset()

    capture = await said(script)
    assert (capture.end.kind, capture.end.detail) == ("reset", "reset before the head")


async def test_the_key_is_sent_and_never_kept(monkeypatch):
    monkeypatch.setenv("THE_KEY", "sk-secret-0123456789abcdef")

    async def script(talk: Talk) -> None:
        await talk.send(HEAD, LAST)

    async with Upstream(script) as upstream:
        route = route_to(upstream.url, api_key_env="THE_KEY", headers={"X-Api-Key": "sk-other-0123456789abcdef"})
        capture = await probe(route, route.outermost, prompt="hi", exchange_id="e1")
    sent = upstream.talks[0].headers
    assert sent["authorization"] == "Bearer sk-secret-0123456789abcdef"
    assert (sent["x-exchange-id"], sent["accept-encoding"]) == ("e1", "identity")
    assert "0123456789abcdef" not in repr(capture)


async def test_a_key_that_the_server_says_back_is_passed_on_and_never_kept(monkeypatch):
    monkeypatch.setenv("THE_KEY", "of-no-known-shape")

    async def script(talk: Talk) -> None:
        head = HEAD.replace(b"\r\n\r\n", b"\r\nx-debug: of-no-known-shape\r\n\r\n")
        await talk.send(head, chunk(b"bad key of-no-known-shape!"), LAST)

    async with Upstream(script) as upstream:
        route = route_to(upstream.url, api_key_env="THE_KEY")
        async with open_exchange(route, route.outermost, MESSAGES) as exchange:
            passed_on = b"".join([data async for data in exchange])
        capture = exchange.capture()
    assert passed_on == b"bad key of-no-known-shape!"
    assert capture.body == b"bad key *****************!" and "of-no" not in repr(capture)


async def test_a_key_that_no_header_can_hold_is_not_quoted(monkeypatch):
    monkeypatch.setenv("THE_KEY", "sk-secret-01234\n56789abcdef")
    async with Upstream(hangs_before_head) as upstream:
        route = route_to(upstream.url, api_key_env="THE_KEY")
        capture = await probe(route, route.outermost, prompt="hi")
    assert capture.end.kind == "reset" and capture.end.detail.startswith("not sent")
    assert "01234" not in repr(capture)


async def hangs_before_head(talk: Talk) -> None:
    await talk.gone()


async def hangs_silent(talk: Talk) -> None:
    await talk.send(HEAD)
    await talk.gone()


async def hangs_midway(talk: Talk) -> None:
    await talk.send(HEAD, chunk(b"half a chu")[:-5])
    await talk.gone()


STAGES = [hangs_before_head, hangs_silent, hangs_midway]


@pytest.mark.parametrize("script", STAGES)
async def test_a_cancelled_exchange_closes_its_upstream_within_100_ms(script):
    async with Upstream(script) as upstream:
        route = route_to(upstream.url)
        task = asyncio.ensure_future(probe(route, route.outermost, prompt="hi"))
        await upstream.arrived.wait()
        await asyncio.sleep(0.05)  # let it get into the state that it hangs in
        left = perf_counter_ns()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(upstream.talks[0].closed.wait(), 5)
    assert (upstream.talks[0].closed_ns - left) / 1e6 < 100


async def test_a_cancelled_tls_handshake_closes_its_connection():
    accepted, closed = asyncio.Event(), asyncio.Event()

    async def mute(reader, writer):
        accepted.set()
        await reader.read()
        closed.set()
        writer.close()

    server = await asyncio.start_server(mute, "127.0.0.1", 0)
    route = route_to(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    task = asyncio.ensure_future(probe(route, route.outermost, prompt="hi"))
    await accepted.wait()
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(closed.wait(), 5)
    server.close()


@pytest.mark.parametrize("script", STAGES[1:])
async def test_close_may_come_from_any_thread_any_number_of_times(script):
    async with Upstream(script) as upstream:
        route = route_to(upstream.url)
        async with open_exchange(route, route.outermost, MESSAGES) as exchange:

            async def rest() -> list[bytes]:
                return [data async for data in exchange]

            reading = asyncio.ensure_future(rest())
            await asyncio.sleep(0.05)
            left = perf_counter_ns()
            await asyncio.gather(*(asyncio.to_thread(exchange.close, f"reason-{n}") for n in range(3)))
            await asyncio.wait_for(reading, 5)
            await asyncio.wait_for(upstream.talks[0].closed.wait(), 5)
    assert (upstream.talks[0].closed_ns - left) / 1e6 < 100
    assert exchange.end.kind == "aborted" and exchange.end.detail.startswith("reason-")


async def test_leaving_after_some_reads_is_our_own_abort():
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(b"one"))
        await talk.gone()

    async with Upstream(script) as upstream:
        route = route_to(upstream.url)
        capture = await probe(route, route.outermost, prompt="hi", client_leaves_after=1)
        await asyncio.wait_for(upstream.talks[0].closed.wait(), 5)
    assert (capture.end.kind, capture.end.detail, capture.body) == ("aborted", "client-left", b"one")


@pytest.mark.parametrize("poured", [False, True])
async def test_a_flood_ends_at_a_limit_of_our_own(monkeypatch, poured):
    monkeypatch.setattr("harness.probe.upstream.MOST_BYTES", 200_000)

    async def script(talk: Talk) -> None:
        await talk.send(HEAD)
        with contextlib.suppress(ConnectionError):
            while True:
                await talk.send(chunk(b"x" * 65536))

    async with Upstream(script) as upstream:
        route = route_to(upstream.url)
        async with open_exchange(route, route.outermost, MESSAGES) as exchange:
            if poured:
                await exchange.pour(lambda data: None)
            async for _ in exchange:
                pass
    assert (exchange.end.kind, exchange.end.detail) == ("timeout", "size")
    assert 200_000 < exchange.size < 2 * 1024 * 1024


async def test_a_fast_upstream_is_held_back_instead_of_filling_memory():
    total = 32 * 1024 * 1024

    async def script(talk: Talk) -> None:
        await talk.send(HEAD)
        for _ in range(total // 65536):
            await talk.send(chunk(b"x" * 65536))
        await talk.send(LAST)

    async with Upstream(script) as upstream:
        route = route_to(upstream.url)
        async with open_exchange(route, route.outermost, MESSAGES) as exchange:
            await asyncio.sleep(0.3)  # nobody reads meanwhile
            waiting = exchange.stream.socket.waiting
            size = sum([len(data) async for data in exchange])
    assert waiting < 2 * 1024 * 1024 and size == total and exchange.end.kind == "complete"
