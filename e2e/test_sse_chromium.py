"""Chromium's own EventSource reads the same bytes, cut the same way, and dispatches what our parser does."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext

from harness.wire.sse import SSEParser

pytestmark = pytest.mark.asyncio(loop_scope="session")

CORPUS = Path(__file__).parents[1] / "harness" / "tests" / "wire" / "sse-conformance.json"
SEEDS, STREAMS = range(4), 50
ENDS = (b"\n", b"\n", b"\r\n", b"\r")
WORDS = ["", "x", "漢字", "🙂", "\u2028", "\x85", "\x0b", "\x00", ": y", "data", "{}", " z", "\ufeff"]
NAMES = ("data", "data", "data", "data", "event", "id", "id", "retry", "", "Data", " data", "dat", "ids")
# Reads all streams, a few at a time (HTTP/1.1 allows six connections to one host); each until the server closes it.
READ = """async ({count, types}) => {
  const heard = [];
  const read = (n) => new Promise((done) => {
    const events = [], source = new EventSource("/stream/" + n);
    const hear = (e) => {
      if (e instanceof MessageEvent) events.push([e.type, e.data, e.lastEventId]);
      else if (e.type === "error") { source.close(); heard[n] = events; done(); }
    };
    for (const type of types) source.addEventListener(type, hear);
  });
  let next = 0;
  const lane = async () => { while (next < count) await read(next++); };
  await Promise.all([lane(), lane(), lane(), lane(), lane()]);
  return heard;
}"""


@dataclass(frozen=True)
class Case:
    """A body, in the parts in which it goes over the socket."""

    name: str
    parts: tuple[bytes, ...]

    def dispatched(self) -> list[list[str]]:
        """What our parser makes of these reads."""
        parser = SSEParser()
        events = [event for part in self.parts for event in parser.feed(part)] + parser.close()
        return [[event.type, event.data, event.id] for event in events]


def cut(body: bytes, rng: random.Random) -> tuple[bytes, ...]:
    """The body in up to six parts, some cuts beside line ends and inside characters."""
    near = [i for i, byte in enumerate(body) if byte in b"\r\n" or byte >= 0x80]
    places = {rng.choice(near) + rng.randrange(2) for _ in range(rng.randrange(4)) if near}
    places |= {rng.randrange(len(body) + 1) for _ in range(rng.randrange(3))}
    bounds = [0, *sorted(places), len(body)]
    return tuple(body[a:b] for a, b in pairwise(bounds) if b > a)


def stream(rng: random.Random) -> bytes:
    """Lines of all sorts, blank ones often, with ends of all sorts, now and then a BOM or a broken character."""
    out = [b"\xef\xbb\xbf"] * (rng.random() < 0.2)
    usual = rng.choice(ENDS)
    for _ in range(rng.randrange(2, 24)):
        end = usual if rng.random() < 0.7 else rng.choice(ENDS)
        name = rng.choice(NAMES)
        value = "".join(rng.choice(WORDS) for _ in range(rng.randrange(3)))
        if name == "retry":
            value = rng.choice(["60000", "+5000", "9e3", "", "60000 "])
        colon = rng.choice([":", ":", ": ", ": ", ":  ", ""])
        line = (name + colon + value if colon else name).encode()
        out += [line, rng.choice([b"", b"", b"", b"\xff", b"\xe6\xbc"]) if value else b"", end]
        if rng.random() < 0.4:
            out.append(end)
    return b"".join(out)


def corpus() -> list[Case]:
    cases = json.loads(CORPUS.read_text())["cases"]
    rng = random.Random(35)
    return [Case(case["name"], cut(bytes.fromhex(case["hex"]), rng)) for case in cases for _ in range(3)]


def drawn(seed: int) -> list[Case]:
    rng = random.Random(seed)
    return [Case(f"seed {seed}, stream {i}", cut(stream(rng), rng)) for i in range(STREAMS)]


def types(cases: list[Case]) -> list[str]:
    """Every type that anybody could dispatch: what stands behind each ``event``, spaces kept and taken off."""
    found = {"message", "error"}
    for case in cases:
        for line in re.split(rb"\r\n|\r|\n", b"".join(case.parts)):
            if (at := line.find(b"event")) >= 0:
                value = line[at + 5 :].decode("utf-8", "replace").removeprefix(":")
                found |= {value, value.removeprefix(" "), value.strip()}
    return sorted(found - {""})


@pytest_asyncio.fixture(loop_scope="session")
async def served() -> AsyncIterator[tuple[str, list[Case]]]:
    """The address of a server of these cases (a list to fill), one write a part."""
    cases: list[Case] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
            number = path.removeprefix("/stream/")
            kind = "text/event-stream" if number.isdigit() else "text/html"
            writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n".encode())
            for part in cases[int(number)].parts if number.isdigit() else (b"<!doctype html><title>-</title>",):
                await writer.drain()
                await asyncio.sleep(0.001)
                writer.write(part)
            writer.close()
            await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}/", cases


@pytest.mark.parametrize(
    "chosen", [pytest.param(corpus, id="corpus"), *(pytest.param(lambda s=s: drawn(s), id=f"seed-{s}") for s in SEEDS)]
)
async def test_both_dispatch_the_same_events(
    context: BrowserContext, served: tuple[str, list[Case]], chosen: Callable[[], list[Case]]
) -> None:
    url, cases = served
    cases += chosen()
    page = await context.new_page()
    await page.goto(url)
    heard = await page.evaluate(READ, {"count": len(cases), "types": types(cases)})
    assert len(heard) == len(cases)
    differ = {
        f"{case.name}: {case.parts!r}": (events, case.dispatched())
        for case, events in zip(cases, heard, strict=True)
        if events != case.dispatched()
    }
    assert not differ
    assert sum(map(len, heard)) > len(cases) // 2, "too few events to compare"
