"""A client without an HTTP library: what stands on the wire, socket read by socket read.

It proves the lab (and measures it): bytes, chunk boundaries, times and the kind of end, nothing hidden.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass(slots=True)
class Wire:
    """One answer as it stood on the wire. ``reads``: (ms since the request was sent, bytes) of every socket read;
    ``end``: fin, reset, or left (we closed); ``sent_ns`` on the monotonic clock."""

    sent_ns: int
    reads: list[tuple[float, bytes]] = field(default_factory=list)
    end: str = ""
    end_ms: float = 0.0

    @property
    def raw(self) -> bytes:
        return b"".join(data for _, data in self.reads)

    @property
    def head(self) -> bytes:
        return self.raw.partition(b"\r\n\r\n")[0]

    @property
    def status(self) -> int:
        return int(self.head.split(b" ", 2)[1]) if self.head else 0

    def header(self, name: str) -> str:
        """The values of a header, joined by comma; empty when absent."""
        rows = [line.partition(b":") for line in self.head.split(b"\r\n")[1:]]
        return ", ".join(v.strip().decode("latin-1") for k, _, v in rows if k.strip().lower() == name.encode())

    def writes(self) -> list[tuple[float, bytes]]:
        """The chunks, each with the ms at which its last byte was read; a body that is not chunked comes by reads."""
        offset = len(self.head) + 4
        if "chunked" not in self.header("transfer-encoding"):
            return self._body_reads(offset)
        found: list[tuple[float, bytes]] = []
        raw = self.raw
        while True:
            line_end = raw.find(b"\r\n", offset)
            if line_end < 0:
                return found
            size = int(raw[offset:line_end], 16)
            start, stop = line_end + 2, line_end + 2 + size
            if size == 0 or len(raw) < stop + 2:
                return found
            found.append((self._time_of(stop + 2), raw[start:stop]))
            offset = stop + 2

    @property
    def whole(self) -> bool:
        """Whether the framing says that the body is complete."""
        if "chunked" in self.header("transfer-encoding"):
            return self.raw.endswith(b"\r\n0\r\n\r\n") or self.raw == self.head + b"\r\n\r\n0\r\n\r\n"
        length = self.header("content-length")
        body = len(self.raw) - len(self.head) - 4
        return body >= int(length) if length else self.end == "fin"

    def _body_reads(self, offset: int) -> list[tuple[float, bytes]]:
        found, position = [], 0
        for t, data in self.reads:
            part = data[max(0, offset - position) :]
            position += len(data)
            if part:
                found.append((t, part))
        return found

    def _time_of(self, offset: int) -> float:
        size = 0
        for t, data in self.reads:
            size += len(data)
            if size >= offset:
                return t
        return self.end_ms


async def ask(
    url: str, body: Mapping[str, Any] | bytes, headers: Mapping[str, str] | None = None, *,
    leave_after: float | None = None, limit: float = 60.0, http: str = "1.1",
) -> Wire:  # fmt: skip
    """POST and read to the end, at most ``limit`` seconds; ``leave_after`` s: close then, as a Stop does."""
    parts = urlsplit(url)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    rows = {"host": parts.netloc, "content-type": "application/json", "content-length": str(len(data))}
    rows |= {"connection": "close", **(headers or {})}
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    lines = [f"POST {target} HTTP/{http}", *(f"{k}: {v}" for k, v in rows.items()), "", ""]
    loop = asyncio.get_running_loop()
    raw = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    raw.setblocking(False)
    try:
        await loop.sock_connect(raw, (parts.hostname, parts.port))
        wire = Wire(time.perf_counter_ns())
        await loop.sock_sendall(raw, "\r\n".join(lines).encode() + data)
        try:
            async with asyncio.timeout(min(limit, leave_after if leave_after is not None else limit)):
                wire.end = await _read(loop, raw, wire)
        except TimeoutError:
            wire.end = "left"
        wire.end_ms = (time.perf_counter_ns() - wire.sent_ns) / 1e6
        return wire
    finally:
        raw.close()


async def _read(loop: asyncio.AbstractEventLoop, raw: socket.socket, wire: Wire) -> str:
    while True:
        try:
            data = await loop.sock_recv(raw, 256 * 1024)
        except ConnectionResetError:
            return "reset"
        if not data:
            return "fin"
        wire.reads.append(((time.perf_counter_ns() - wire.sent_ns) / 1e6, data))
