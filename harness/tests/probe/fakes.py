"""A fake upstream that says exactly the bytes it is told, and remembers when its client left."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import Awaitable, Callable
from time import perf_counter_ns
from typing import Any

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"
GOOD = (
    b'data: {"choices":[{"index":0,"delta":{"content":"t1 "}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


class Talk:
    """One connection, as a script sees it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.path = ""
        self.headers: dict[str, str] = {}
        self.body: Any = None
        self.closed_ns = 0
        self.closed = asyncio.Event()

    async def read_request(self) -> None:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")[:-2]
        self.path = first.split(" ")[1]
        self.headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}
        body = await self.reader.readexactly(int(self.headers.get("content-length", 0)))
        self.body = json.loads(body) if body else None

    async def send(self, *parts: bytes) -> None:
        self.writer.write(b"".join(parts))
        await self.writer.drain()

    def finish(self) -> None:
        """FIN."""
        self.writer.close()

    def reset(self) -> None:
        """RST."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def gone(self) -> None:
        """Wait until the client has closed."""
        with contextlib.suppress(ConnectionError):
            while await self.reader.read(65536):
                pass
        self.closed_ns = perf_counter_ns()
        self.closed.set()


Script = Callable[[Talk], Awaitable[None]]


def in_turns(*texts: bytes) -> tuple[Script, asyncio.Event]:
    """A script that says the head, then waits for the event before each text, and before the end."""
    go = asyncio.Event()

    async def script(talk: Talk) -> None:
        await talk.send(HEAD)
        for text in texts:
            await go.wait()
            go.clear()
            await talk.send(chunk(text))
        await go.wait()
        await talk.send(LAST)

    return script, go


class Server:
    """Listens on loopback; each connection has a task, and all of them end with it."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()

    async def listen(self, sock: socket.socket | None = None) -> None:
        """``sock``: a listening socket to serve on, default a new one."""
        self.server = await (
            asyncio.start_server(self._serve, sock=sock) if sock else asyncio.start_server(self._serve, "127.0.0.1", 0)
        )
        self.port = self.server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"

    async def __aexit__(self, *exc: object) -> None:
        self.server.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.tasks.add(asyncio.ensure_future(self.converse(reader, writer)))

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError


class Upstream(Server):
    """``async with Upstream(script) as upstream``: ``upstream.url`` is its base, ``talks`` its connections."""

    def __init__(self, script: Script, sock: socket.socket | None = None) -> None:
        super().__init__()
        self.script = script
        self.sock = sock
        self.talks: list[Talk] = []
        self.arrived = asyncio.Event()

    async def __aenter__(self) -> Upstream:
        await self.listen(self.sock)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await super().__aexit__(*exc)
        for talk in self.talks:
            talk.writer.transport.abort()
            with contextlib.suppress(ConnectionError):
                await talk.writer.wait_closed()

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = Talk(reader, writer)
        self.talks.append(talk)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await talk.read_request()
            self.arrived.set()
            await self.script(talk)
