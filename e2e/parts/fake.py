"""An upstream whose bytes a test writes itself: each piece is one ``send``, so the test knows the wire."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def delta(text: str, finish: str | None = None) -> bytes:
    """One OpenAI chat chunk as an SSE event, its text unescaped UTF-8."""
    body = {
        "id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1760000000, "model": "fake",
        "choices": [{"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}],
    }  # fmt: skip
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


ENDING = [delta("", "stop"), b"data: [DONE]\n\n"]


@contextlib.asynccontextmanager
async def upstream(pieces: Sequence[bytes], gap_s: float = 0.03) -> AsyncIterator[str]:
    """Serve every POST with these body pieces, one chunk and one ``send`` each, ``gap_s`` apart; gives the base URL."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = next((int(h.split(b":")[1]) for h in head.lower().split(b"\r\n") if h.startswith(b"content-l")), 0)
            await reader.readexactly(length)
            writer.write(HEAD)
            for piece in pieces:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                await writer.drain()
                await asyncio.sleep(gap_s)
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
