"""One HTTP response, written by hand on a transport, every body write recorded.

No server library lets one cut a chunked body, send RST, or claim two lengths; that is why this exists.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from http import HTTPStatus

from harness.capture.model import Headers
from harness.lab.ledger import Record


class Response:
    """``transfer``: chunked, length, close or both (chunked and a Content-Length). ``http`` as the client asked;
    ``again``: whether the client wants to use the connection again."""

    def __init__(
        self, transport: asyncio.Transport, http: str = "1.1", record: Record | None = None, *, again: bool = True
    ) -> None:
        self.transport, self.http, self.record, self.again = transport, http, record, again
        self.started = self.chunked = self.keep = False

    def head(self, status: int, headers: Headers, transfer: str, length: int | None = None, more: bool = True) -> None:
        """Send the status line and headers. ``more``: whether the connection may be used again afterwards."""
        if self.http == "1.0" and transfer in ("chunked", "both"):
            transfer = "close"
        self.chunked = transfer in ("chunked", "both")
        self.keep = self.again and more and transfer in ("chunked", "length") and self.http != "1.0"
        extra: list[tuple[str, str]] = []
        if self.chunked:
            extra.append(("transfer-encoding", "chunked"))
        if transfer in ("length", "both") and length is not None:
            extra.append(("content-length", str(length)))
        extra.append(("connection", "keep-alive" if self.keep else "close"))
        rows = (*headers, *extra)
        lines = [f"HTTP/1.1 {status} {_reason(status)}", *(f"{k}: {v}" for k, v in rows)]
        self.started = True
        if self.record:
            self.record.head(status, rows, "1.1")
        self.transport.write("\r\n".join((*lines, "", "")).encode("utf-8"))

    def body(self, data: bytes) -> None:
        """One write to the socket: what is given is one chunk where the body is chunked."""
        if not data:
            return
        if self.record:
            self.record.wrote(data)  # stamped before the write, so that no reader can be earlier than the stamp
        if self.transport.is_closing():
            return  # a deaf source goes on for the ledger alone
        self.transport.write(b"%x\r\n%b\r\n" % (len(data), data) if self.chunked else data)

    def complete(self) -> None:
        if self.chunked and not self.transport.is_closing():
            self.transport.write(b"0\r\n\r\n")
        if self.record:
            self.record.ended("complete")
        if not self.keep:
            self.transport.close()

    def cut(self, detail: str = "") -> None:
        """Close without the end that the framing promised."""
        if self.record:
            self.record.ended("truncated", detail or "the lab closed before the end")
        self.transport.close()

    def reset(self, detail: str = "") -> None:
        """RST: linger with time 0, then close."""
        if self.record:
            self.record.ended("reset", detail or "the lab sent RST")
        raw = self.transport.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def finish(self, kind: str) -> None:
        """By the name of the end: complete, cut or reset; ``hang`` leaves the connection open."""
        if kind == "complete":
            self.complete()
        elif kind == "cut":
            self.cut()
        elif kind == "reset":
            self.reset()


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
