"""The printed command runs in a real shell with the real curl, and its trace reads as what was sent and received."""

import asyncio
import os
import shutil
import socket
import struct
from pathlib import Path

import pytest

from harness.capture.curl_command import curl_command
from harness.capture.model import Capture
from harness.capture.sniff import load_any

EVENTS = [f'data: {{"choices":[{{"index":0,"delta":{{"content":"字{i}"}}}}]}}\n\n'.encode() for i in range(4)]
BODY = {"model": 'it\'s "m" $HOME `x`', "stream": True, "messages": [{"role": "user", "content": "你好\n!"}]}
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="needs the curl command")


class Source:
    """A server that streams EVENTS in one of several ways, chosen by the path, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked = b""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line[15:]) for line in self.asked.lower().split(b"\r\n") if line.startswith(b"content-length:")
        )
        self.asked += await reader.readexactly(length)
        way = self.asked.split()[1].rsplit(b"/", 1)[-1].decode()
        framing = b"Connection: close" if way == "close" else b"Transfer-Encoding: chunked"
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + framing + b"\r\n\r\n")
        for event in EVENTS:
            writer.write(event if way == "close" else b"%x\r\n%s\r\n" % (len(event), event))
            await writer.drain()
            await asyncio.sleep(0.03)
        if way == "reset":
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
            return
        if way == "whole":
            writer.write(b"0\r\n\r\n")
        if way == "silent":
            await reader.read()
        writer.close()


async def record(way: str, trace: Path, *options: str, ascii_too: bool = False) -> bytes:
    source = Source()
    server = await asyncio.start_server(source.handle, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/{way}"
    command = curl_command(url, [("X-Custom", "a b")], BODY, "SOME_KEY", str(trace), options)
    assert "sk-secret" not in command
    if ascii_too:
        command = command.replace("--trace ", "--trace-ascii ", 1)
    async with server:
        run = await asyncio.create_subprocess_shell(
            command, env={**os.environ, "SOME_KEY": "sk-secret-0123456789"}, stderr=asyncio.subprocess.PIPE
        )
        await asyncio.wait_for(run.communicate(), 20)
    return source.asked


def load(trace: Path) -> Capture:
    (capture,) = load_any(trace.read_bytes(), trace.name)
    return capture


@needs_curl
@pytest.mark.parametrize(
    ("way", "options", "end"),
    [
        ("whole", (), "complete"),
        ("close", (), "complete"),
        ("cut", (), "truncated"),
        ("reset", (), "reset"),
        ("silent", ("--max-time", "0.6"), "timeout"),
    ],
)
async def test_curls_trace_reads_as_what_happened(way: str, options: tuple[str, ...], end: str, tmp_path: Path) -> None:
    asked = await record(way, tmp_path / "gate way's.trace", *options)
    capture = load(tmp_path / "gate way's.trace")
    assert [data for _, data in capture.reads()] == EVENTS
    assert capture.end is not None and capture.end.kind == end
    assert capture.request is not None and capture.request.body == BODY
    assert ("authorization", "Bearer ***") in capture.request.headers
    assert b"authorization: Bearer sk-secret-0123456789\r\n" in asked and b"x-custom: a b\r\n" in asked
    assert b"expect" not in asked.lower()
    assert list(capture.times) == sorted(set(capture.times))
    assert capture.times[-1] - capture.times[0] > 45, "the source waits 30 ms before each of three next events"
    assert capture.hop == "gate way's"


@needs_curl
async def test_the_lossy_trace_keeps_events_and_bytes_apart(tmp_path: Path) -> None:
    await record("whole", tmp_path / "engine.txt", ascii_too=True)
    capture = load(tmp_path / "engine.txt")
    assert [data for _, data in capture.reads()] == [event.replace("字".encode(), b"...") for event in EVENTS]


def test_other_secret_headers_are_masked_and_named() -> None:
    headers = [("X-Api-Key", "abc"), ("accept", "*/*")]
    command = curl_command("http://h/v1", headers, {}, None, "t")
    assert "x-api-key: ***" in command and "abc" not in command and "authorization" not in command


def test_a_command_without_a_trace_shows_the_answer() -> None:
    command = curl_command("http://h/v1", [], {}, None, "", ["-k", "-x", "http://p:1"])
    assert "--trace" not in command and "/dev/null" not in command and "--noproxy" not in command
    assert command.startswith("curl -sS -N -k -x http://p:1 ")
