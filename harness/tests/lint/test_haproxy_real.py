"""What lint says of HAProxy is what HAProxy does: the same file, judged and run."""

import asyncio
import shutil
import socket
import time
from pathlib import Path

import pytest

from harness.capture.sniff import load_any
from harness.lint.haproxy import lint_haproxy

EVENTS = 30
SET, UNSET = "option http-no-delay", "no option http-no-delay"
needs_parts = pytest.mark.skipif(
    shutil.which("haproxy") is None or shutil.which("curl") is None, reason="needs haproxy and curl"
)
CONFIG = """
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 600s
  {defaults}
frontend f
  bind 127.0.0.1:{port}
  {frontend}
  default_backend b
backend b
  {backend}
  server s 127.0.0.1:{upstream}
"""


async def source(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for number in range(EVENTS):
        event = b"data: %d\n\n" % number
        writer.write(b"%x\r\n%s\r\n" % (len(event), event))
        await writer.drain()
        await asyncio.sleep(0.02)
    writer.write(b"0\r\n\r\n")
    writer.close()


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def until_answered(port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket() as sock:
            if sock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("haproxy did not come up")


@needs_parts
@pytest.mark.parametrize(
    ("defaults", "frontend", "backend"),
    [("", "", ""), ("", SET, ""), ("", "", SET), (SET, "", UNSET), (SET, UNSET, UNSET)],
    ids=["by default", "in front", "behind", "undone behind", "undone on both sides"],
)
async def test_lint_and_haproxy_agree(defaults: str, frontend: str, backend: str, tmp_path: Path) -> None:
    file, trace = tmp_path / "haproxy.cfg", tmp_path / "proxy.trace"
    server = await asyncio.start_server(source, "127.0.0.1", 0)
    upstream, port = server.sockets[0].getsockname()[1], free_port()
    text = CONFIG.format(defaults=defaults, frontend=frontend, backend=backend, port=port, upstream=upstream)
    await asyncio.to_thread(file.write_text, text)
    proxy = await asyncio.create_subprocess_exec("haproxy", "-db", "-f", str(file), stderr=asyncio.subprocess.DEVNULL)
    try:
        await asyncio.to_thread(until_answered, port)
        words = ["-sS", "-N", "--trace-time", "--trace", str(trace), "-o", "/dev/null", f"http://127.0.0.1:{port}/"]
        curl = await asyncio.create_subprocess_exec("curl", *words)
        assert await asyncio.wait_for(curl.wait(), 30) == 0
    finally:
        proxy.kill()
        await proxy.wait()
        server.close()
    (capture,) = load_any(await asyncio.to_thread(trace.read_bytes), "proxy.trace")
    clumps = len(capture.times) < EVENTS / 2
    assert clumps == any(finding.code == "burst.no-delay" for finding in lint_haproxy(text, "haproxy.cfg", 120))
