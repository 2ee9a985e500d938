"""The bench's source: numbered events that say when they were written. ``source.py FD RATE SECONDS STREAMS``.

The streams of one way take turns within a period, whatever the way did to the moment of their start: chance
coincidences of their events would be told apart from a way's own delay only by many rounds.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import socket
import sys
from time import perf_counter_ns

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
EVENT = b'data: {"id":"bench","choices":[{"index":0,"delta":{"content":"t%d "}}],"t":%d}\n\n'


async def serve(sock: socket.socket, rate: float, seconds: float, streams: int) -> None:
    turns = itertools.count()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(x[15:]) for x in head.lower().split(b"\r\n") if x.startswith(b"content-length:"))
        await reader.readexactly(length)
        writer.write(HEAD)
        loop = asyncio.get_running_loop()
        turn = next(turns) % streams / streams
        due = (math.ceil(loop.time() * rate) + turn) / rate
        try:
            for number in range(int(rate * seconds)):
                due += 1 / rate
                await asyncio.sleep(due - loop.time())
                event = EVENT % (number, perf_counter_ns())
                writer.write(b"%x\r\n%s\r\n" % (len(event), event))
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        except ConnectionError:
            pass
        writer.close()

    server = await asyncio.start_server(talk, sock=sock)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(socket.socket(fileno=int(sys.argv[1])), float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])))
