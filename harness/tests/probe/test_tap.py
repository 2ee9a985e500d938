"""The inline tap: bytes untouched, both sides stamped, ends and cancellations passed on."""

from __future__ import annotations

import asyncio
import contextlib
from time import perf_counter_ns

import pytest

from harness.capture.model import Capture
from harness.errors import InputError, Unreachable
from harness.probe.exchange import probe
from harness.probe.tap import Tap, listening
from harness.routes.model import Hop, Route, Timeouts
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk

pytestmark = pytest.mark.alone


class Tapped:
    """A tap before a scripted upstream; ``url`` is the tap's, ``found`` what it recorded."""

    def __init__(self, script) -> None:
        self.upstream = Upstream(script)
        self.found: list[tuple[Capture, Capture]] = []
        self.some = asyncio.Event()

    def done(self, captures: tuple[Capture, Capture]) -> None:
        self.found.append(captures)
        self.some.set()

    async def __aenter__(self) -> Tapped:
        await self.upstream.__aenter__()
        self.inline = tap = Tap(self.upstream.url.removesuffix("/v1"), self.done, hop="gpu", kind="engine")
        self.tap = listening(tap, "127.0.0.1", 0)
        host, self.port = await self.tap.__aenter__()
        self.url = f"http://{host}:{self.port}/v1"
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.tap.__aexit__(None, None, None)
        await self.upstream.__aexit__(*exc)

    async def asked(self, **more) -> Capture:
        route = Route("r", (Hop("gateway", url=self.url, headers={"x-api-key": "sk-secret-0123456789ab"}),), "m")
        route = Route(route.name, route.hops, "m", Timeouts(5, 10, 20))
        return await probe(route, route.outermost, prompt="hi", exchange_id="e-1", **more)

    async def recorded(self) -> tuple[Capture, Capture]:
        await asyncio.wait_for(self.some.wait(), 5)
        return self.found[-1]


async def raw(port: int, *requests: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for request in requests:
            writer.write(request)
            await writer.drain()
            await asyncio.sleep(0.02)
        return await asyncio.wait_for(reader.read(), 10)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def test_bytes_pass_untouched_and_both_sides_are_stamped():
    go = asyncio.Event()
    odd = HEAD.replace(b"content-type", b"Content-TYPE"), b"5;ext=1\r\nda\xc3", b"\xa9:\r\n", LAST

    async def script(talk: Talk) -> None:
        for part in odd:
            await go.wait()
            await talk.send(part)
            await asyncio.sleep(0.01)
        talk.finish()

    request = b'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\ncontent-length: 16\r\n\r\n{"user":"u-key"}'
    async with Tapped(script) as tapped:
        go.set()
        got = await raw(tapped.port, request)
        read, write = await tapped.recorded()
    assert got == b"".join(odd) and read.exchange == "u-key"
    assert (read.hop, read.kind, read.tap, write.hop, write.tap) == ("gpu", "engine", "read", "tap", "write")
    assert read.body == b"da\xc3\xa9:" and read.end.kind == "complete" and read.head.status == 200
    assert list(read.ends) == list(write.ends)
    assert all(r <= w for r, w in zip(read.times, write.times, strict=True))


async def test_the_exchange_is_known_by_its_key_and_secrets_are_masked():
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(b"data: 1\n\n"), LAST)

    async with Tapped(script) as tapped:
        seen = await tapped.asked()
        read, _ = await tapped.recorded()
    assert seen.end.kind == "complete" and read.exchange == "e-1"
    assert read.request.body["messages"] == [{"role": "user", "content": "hi"}]
    assert read.request.url.endswith("/v1/chat/completions") and "0123456789ab" not in repr(read)


async def test_a_key_said_back_is_hidden_and_an_answer_kept_in_part_is_not_called_complete(monkeypatch):
    monkeypatch.setattr("harness.probe.watched.BODY_LIMIT", 40)

    async def script(talk: Talk) -> None:
        head = HEAD.replace(b"\r\n\r\n", b"\r\nx-debug: sk-secret-0123456789ab!\r\n\r\n")
        await talk.send(head, chunk(b"data: no key like sk-secret-0123456789ab\n\n"))
        await asyncio.sleep(0.05)  # another read
        await talk.send(chunk(b"data: 2\n\n"), LAST)

    async with Tapped(script) as tapped:
        await tapped.asked()
        read, write = await tapped.recorded()
    assert read.body == b"data: no key like " + b"*" * 22 + b"\n\n" and "0123456789ab" not in repr(read)
    assert [(one.end.kind, one.end.detail) for one in (read, write)] == [("timeout", "size")] * 2


async def test_an_answer_that_comes_in_one_piece_was_handed_on_whole_too():
    async def script(talk: Talk) -> None:
        await talk.send(HEAD + chunk(b"data: 1\n\n") + LAST)

    async with Tapped(script) as tapped:
        await tapped.asked()
        read, write = await tapped.recorded()
    assert list(write.ends) == list(read.ends) == [9] and write.end.kind == "complete"


async def test_an_exchange_under_way_is_seen_before_its_answer_begins():
    go = asyncio.Event()

    async def script(talk: Talk) -> None:
        await go.wait()
        await talk.send(HEAD, chunk(b"data: 1\n\n"), LAST)

    async with Tapped(script) as tapped:
        asking = asyncio.ensure_future(tapped.asked())
        await asyncio.wait_for(tapped.upstream.arrived.wait(), 5)
        seen = [client.watched.ongoing for client in tapped.inline.clients if client.watched.ongoing]
        assert seen[0].began["read"][2].body["stream"] is True and seen[0].heads == {}
        go.set()
        await asking
        await tapped.recorded()
    assert [client.watched.ongoing for client in tapped.inline.clients] in ([], [None])


@pytest.mark.parametrize(("how", "kind"), [("finish", "truncated"), ("reset", "reset")])
async def test_a_cut_is_passed_on_as_it_came(how, kind):
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(b"data: 1\n\n"))
        await asyncio.sleep(0.05)
        getattr(talk, how)()

    async with Tapped(script) as tapped:
        seen = await tapped.asked()
        read, write = await tapped.recorded()
    assert seen.end.kind == read.end.kind == write.end.kind == kind
    assert seen.body == read.body == b"data: 1\n\n"


async def test_a_reset_before_the_head_is_told_from_a_refused_connection():
    async def script(talk: Talk) -> None:
        talk.reset()

    async with Tapped(script) as tapped:
        await tapped.asked()
        read, _ = await tapped.recorded()
    assert (read.head, read.end.kind, read.end.detail) == (None, "reset", "reset before the head")


async def test_a_client_that_leaves_takes_the_upstream_with_it_within_100_ms():
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(b"data: 1\n\n"))
        await talk.gone()

    async with Tapped(script) as tapped:
        left = perf_counter_ns()
        await tapped.asked(client_leaves_after=1)
        talk = tapped.upstream.talks[0]
        await asyncio.wait_for(talk.closed.wait(), 5)
        read, _ = await tapped.recorded()
    assert (talk.closed_ns - left) / 1e6 < 500 and (read.end.kind, read.end.detail) == ("aborted", "client-left")


async def test_requests_of_one_kept_connection_are_exchanges_of_their_own():
    body = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"

    async def script(talk: Talk) -> None:
        await talk.send(body, b"{}")
        await talk.read_request()
        await talk.send(b"HTTP/1.1 100 Continue\r\n\r\n", body, b"[]")
        talk.finish()

    request = b"POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
    async with Tapped(script) as tapped:
        await raw(tapped.port, request, request)
        await tapped.recorded()
    assert [(r.body, r.head.status, r.end.kind) for r, _ in tapped.found] == [
        (b"{}", 200, "complete"),
        (b"[]", 200, "complete"),
    ]


async def test_what_is_not_http_still_passes():
    async def script(reader, writer):
        writer.write(await reader.readexactly(5))
        writer.close()

    server = await asyncio.start_server(script, "127.0.0.1", 0)
    found: list[object] = []
    tap = Tap(f"127.0.0.1:{server.sockets[0].getsockname()[1]}", found.append)
    async with listening(tap, "127.0.0.1", 0) as (_, port):
        assert await raw(port, b"\x00\x01\r\n\x02") == b"\x00\x01\r\n\x02"
    server.close()
    assert found == []


async def test_an_upstream_that_is_not_there_closes_the_client_and_says_so(caplog):
    found: list[tuple[Capture, Capture]] = []
    async with listening(Tap("http://127.0.0.1:1", found.append), "127.0.0.1", 0) as (_, port):
        with pytest.raises((ConnectionResetError, AssertionError)):
            assert await raw(port, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
    assert "cannot be reached" in caplog.text
    assert [(r.end.kind, r.head) for r, _ in found] == [("reset", None)]


def test_bad_addresses_are_refused_in_words():
    with pytest.raises(InputError, match="not an address"):
        Tap("ftp://x", print)


async def test_a_taken_port_is_said_in_words():
    async with listening(Tap("http://127.0.0.1:1", print), "127.0.0.1", 0) as (_, port):
        with pytest.raises(Unreachable, match="port"):
            async with listening(Tap("http://127.0.0.1:1", print), "127.0.0.1", port):
                pass
