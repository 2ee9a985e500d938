"""The relay under a real Daphne, seen with raw sockets from both sides."""

from __future__ import annotations

import asyncio
from time import perf_counter_ns

import pytest

from chat.tests.daphne import Browser, site, unchunk
from harness.tests.probe.fakes import HEAD, LAST, Script, Talk, Upstream, chunk

pytestmark = pytest.mark.alone


@pytest.fixture(scope="module")
def app():
    with site() as running:
        yield running


def upstream(app, script: Script) -> Upstream:
    return Upstream(script, sock=app.script_socket())


async def test_bytes_pass_untouched_one_chunk_a_read(app):
    go = asyncio.Event()
    odd = [b"data: caf\xc3", b"\xa9\r\n\n", b"\x00\xff: ping\n", b"data: [DONE]\n\n"]

    async def script(talk: Talk) -> None:
        await talk.send(HEAD)
        for part in odd:
            await go.wait()
            go.clear()
            await talk.send(chunk(part[:1]), chunk(part[1:]))  # two chunks of one read become one
        await go.wait()
        await talk.send(LAST)

    async with upstream(app, script) as source, Browser(app.port) as browser:
        status, headers = await browser.head()
        got = b""
        for _ in odd:
            go.set()
            got += await asyncio.wait_for(browser.reader.read(65536), 10)
        go.set()
        got += await browser.rest()
    assert status == 200
    assert headers["content-type"] == "text/event-stream"
    assert headers["cache-control"] == "no-cache, no-transform" and headers["x-accel-buffering"] == "no"
    assert unchunk(got) == (b"".join(odd), odd, True)
    body = source.talks[0].body
    assert body == {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
    assert source.talks[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("how", ["closes", "resets", "breaks"])
async def test_a_cut_upstream_cuts_the_answer_at_once_and_without_the_last_chunk(app, how):
    cut_ns = 0

    async def script(talk: Talk) -> None:
        nonlocal cut_ns
        await talk.send(HEAD, chunk(b"data: 1\n\n"))
        await asyncio.sleep(0.1)
        cut_ns = perf_counter_ns()
        if how == "breaks":
            await talk.send(b"this is no chunk\r\n")
            await talk.gone()
        else:
            talk.finish() if how == "closes" else talk.reset()

    async with upstream(app, script), Browser(app.port) as browser:
        await browser.head()
        got = await browser.rest()
        seen_ns = perf_counter_ns()
        assert browser.reader.at_eof()
    assert unchunk(got) == (b"data: 1\n\n", [b"data: 1\n\n"], False)
    assert (seen_ns - cut_ns) / 1e6 < 500  # not Daphne's own habit of never closing


async def before_head(talk: Talk) -> None:
    await talk.gone()


async def silent(talk: Talk) -> None:
    await talk.send(HEAD)
    await talk.gone()


async def midway(talk: Talk) -> None:
    await talk.send(HEAD, chunk(b"data: 1\n\n"))
    await talk.gone()


async def flowing(talk: Talk) -> None:
    await talk.send(HEAD)
    gone = asyncio.ensure_future(talk.gone())
    while not gone.done():
        await talk.send(chunk(b"data: x\n\n"))
        await asyncio.sleep(0.005)
    await gone


async def late_json(talk: Talk) -> None:
    await talk.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{")
    await talk.gone()


@pytest.mark.parametrize("script", [before_head, silent, midway, flowing, late_json])
async def test_the_upstream_is_closed_within_100_ms_of_the_browser_leaving(app, script):
    async with upstream(app, script) as source, Browser(app.port) as browser:
        await asyncio.wait_for(source.arrived.wait(), 20)
        await asyncio.sleep(0.2)  # let it get into the state that is tried
        left_ns = perf_counter_ns()
        await browser.leave()
        talk = source.talks[0]
        await asyncio.wait_for(talk.closed.wait(), 10)
    assert (talk.closed_ns - left_ns) / 1e6 < 100


async def test_a_reader_that_takes_nothing_ends_the_exchange_at_8_mb(app):
    sent = 0

    async def flood(talk: Talk) -> None:
        nonlocal sent
        await talk.send(HEAD)
        while True:
            await talk.send(chunk(b"x" * 65536))
            sent += 65536

    async with upstream(app, flood) as source, Browser(app.port) as browser:
        await browser.head()
        browser.writer.transport.pause_reading()
        await asyncio.wait_for(asyncio.gather(*source.tasks), 20)  # the script ends when its client is gone
        assert sent < 64 * 1024 * 1024
        browser.writer.transport.resume_reading()
        with pytest.raises(ConnectionResetError):
            while await asyncio.wait_for(browser.reader.read(65536), 10):
                pass


@pytest.mark.parametrize(
    ("head", "body", "status"),
    [
        (b"HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\n", b'{"error":"key"}', 401),
        (b"HTTP/1.1 429 Too Many\r\ncontent-type: text/plain\r\nretry-after: 7\r\n", b"slow down", 429),
        (b"HTTP/1.1 500 Oops\r\ncontent-type: text/html\r\n", b"<h1>500</h1>", 500),
    ],
    ids=["401", "429", "500"],
)
async def test_the_upstreams_own_refusal_passes_as_it_is(app, head, body, status):
    async def script(talk: Talk) -> None:
        await talk.send(head, b"content-length: %d\r\n\r\n" % len(body), body)

    async with upstream(app, script), Browser(app.port) as browser:
        got_status, headers = await browser.head()
        got = unchunk(await browser.rest())
    assert (got_status, got[0], got[2]) == (status, body, True)
    assert headers["content-type"] in head.decode()
    assert headers.get("retry-after") == ("7" if status == 429 else None)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}", "instead of a stream"),
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>", "instead of a stream"),
        (b"HTTP/1.1 302 Found\r\nlocation: http://other/\r\ncontent-length: 0\r\n\r\n", "redirects"),
        (b"", "gave no answer"),
        (b"SSH-2.0-x\r\n\r\n", "sent no HTTP response"),
    ],
    ids=["json", "html", "redirect", "closed", "other-protocol"],
)
async def test_what_is_no_stream_is_a_502_with_a_sentence(app, answer, says):
    async def script(talk: Talk) -> None:
        await talk.send(answer)
        talk.finish()

    async with upstream(app, script), Browser(app.port) as browser:
        status, _ = await browser.head()
        said = await browser.json()
    assert status == 502 and says in said["what"] and "hop gateway" in said["where"] and said["do"]


async def test_a_stream_under_a_wrong_content_type_still_streams(app):
    async def script(talk: Talk) -> None:
        await talk.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n")
        await talk.send(chunk(b"data: 1\n\n"), chunk(b"data: 2\n\n"), LAST)

    async with upstream(app, script), Browser(app.port) as browser:
        status, headers = await browser.head()
        got = unchunk(await browser.rest())
    assert (status, headers["content-type"]) == (200, "text/plain")
    assert (got[0], got[2]) == (b"data: 1\n\ndata: 2\n\n", True)


async def test_compressed_bytes_keep_their_coding(app):
    async def script(talk: Talk) -> None:
        await talk.send(HEAD[:-2], b"content-encoding: gzip\r\n\r\n", chunk(b"\x1f\x8b\x08rest"), LAST)

    async with upstream(app, script), Browser(app.port) as browser:
        _, headers = await browser.head()
        got = unchunk(await browser.rest())
    assert (headers["content-encoding"], got[0]) == ("gzip", b"\x1f\x8b\x08rest")


async def test_nothing_is_logged_and_no_application_lingers(app):
    """Last in this file: whatever the others did, the server has nothing to say about it.

    Daphne complains about applications that are alive one second (here) after their client left, when it next looks.
    """
    await asyncio.sleep(3)
    assert "Traceback" not in app.log and "took too long" not in app.log and "Exception" not in app.log
