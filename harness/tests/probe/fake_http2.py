"""A fake upstream that speaks HTTP/2 in the clear, and does one wrong thing if told to; over HTTP/1.1 it does none."""

from __future__ import annotations

import asyncio
import contextlib

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived, StreamEnded

from harness.tests.probe.fakes import HEAD, LAST, Server, chunk

EVENTS = 12
WORDS = [b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"w%d "}}]}\n\n' % n for n in range(EVENTS)]
END = b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


class Http2Upstream(Server):
    """``fault``: ``lumps`` (all at the end), ``reset`` (RST_STREAM in the middle), ``refuses`` (status 421),
    ``goaway``, ``whole`` (JSON), ``silent`` (never says a word), ``garbage`` (what is no frame)."""

    def __init__(self, fault: str = "", gap: float = 0.025) -> None:
        super().__init__()
        self.fault, self.gap = fault, gap
        self.connections = self.requests = 0

    async def __aenter__(self) -> Http2Upstream:
        await self.listen()
        return self

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            await self._speak(reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _speak(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        data = await reader.read(65536)
        if not data.startswith(b"PRI"):
            return await self._speak_http1(data, writer)
        if self.fault == "silent":
            while await reader.read(65536):
                pass
            return
        if self.fault == "garbage":
            writer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
            await reader.read()
            return
        talk = H2Connection(H2Configuration(client_side=False))
        talk.initiate_connection()
        writer.write(talk.data_to_send())
        while data:
            for event in talk.receive_data(data):
                if isinstance(event, StreamEnded):
                    await self._answer(talk, writer, event.stream_id)
                elif isinstance(event, RequestReceived):
                    self.requests += 1
            writer.write(talk.data_to_send())
            data = await reader.read(65536)

    async def _speak_http1(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        if not data.startswith(b"POST"):
            writer.write(b"HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n")
            return await writer.drain()
        writer.write(HEAD)
        for word in WORDS:
            writer.write(chunk(word))
            await asyncio.sleep(self.gap)
        writer.write(chunk(END) + LAST)
        await writer.drain()

    async def _answer(self, talk: H2Connection, writer: asyncio.StreamWriter, stream: int) -> None:
        kind = "application/json" if self.fault == "whole" else "text/event-stream"
        status = "421" if self.fault == "refuses" else "200"
        talk.send_headers(stream, [(":status", status), ("content-type", kind), ("server", "fake2")])
        if self.fault == "refuses":
            talk.end_stream(stream)
        elif self.fault == "whole":
            body = b'{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}'
            talk.send_data(stream, body, end_stream=True)
        else:
            await self._events(talk, writer, stream)

    async def _events(self, talk: H2Connection, writer: asyncio.StreamWriter, stream: int) -> None:
        for number, word in enumerate(WORDS):
            talk.send_data(stream, word)
            if self.fault != "lumps":
                writer.write(talk.data_to_send())
            await asyncio.sleep(self.gap)
            if number == EVENTS // 2 and self.fault == "reset":
                return talk.reset_stream(stream, error_code=2)
            if number == EVENTS // 2 and self.fault == "goaway":
                return talk.close_connection(error_code=11)
        talk.send_data(stream, END, end_stream=True)
