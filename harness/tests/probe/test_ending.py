"""How an exchange that never got a head ended: a handshake that hung, bytes that are no HTTP."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from harness.probe.exchange import probe
from harness.routes.model import Hop, Route, Timeouts
from harness.tests.probe.fakes import Talk, Upstream


def route_to(url: str, connect: float = 5) -> Route:
    return Route("r", (Hop("engine", url=url),), "m", Timeouts(connect, 5, 10))


async def test_a_port_that_takes_the_connection_and_says_nothing_made_no_tls_handshake():
    over = asyncio.Event()

    async def silent(reader, writer):
        with contextlib.suppress(ConnectionError):
            await reader.read()  # to its end: the other side gave up
        writer.close()
        over.set()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    route = route_to(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", connect=0.3)
    capture = await probe(route, route.outermost, prompt="hi")
    await over.wait()
    server.close()
    assert capture.head is None and (capture.end.kind, capture.end.detail) == ("timeout", "tls handshake")


@pytest.mark.parametrize(
    ("said", "shown"), [(b"\x15\x03\x01\x00\x02", "15 03 01 00 02"), (b"SSH-2.0-x", '"SSH-2.0-x"')]
)
async def test_bytes_without_a_line_before_a_hang_up_are_no_http(said: bytes, shown: str):
    async def script(talk: Talk) -> None:
        await talk.send(said)
        talk.finish()

    async with Upstream(script) as upstream:
        route = route_to(upstream.url)
        capture = await probe(route, route.outermost, prompt="hi")
    assert (capture.end.kind, capture.end.detail) == ("truncated", f"not HTTP: it begins with {shown}")
