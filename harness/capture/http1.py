"""HTTP/1.1 framing for importers: heads, chunked bodies, and whether a body came whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.capture.model import Headers

_STATUS = re.compile(r"HTTP/(\d(?:\.\d)?) (\d{3})(?: |$)")
_REQUEST = re.compile(r"([A-Z]{3,10}) (\S+) HTTP/(\d(?:\.\d)?)$")
_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?$", re.S)
_LINE_LIMIT = 4096


@dataclass(frozen=True, slots=True)
class ResponseHead:
    status: int
    http: str
    headers: Headers


@dataclass(frozen=True, slots=True)
class RequestHead:
    method: str
    target: str
    http: str
    headers: Headers


def response_head(data: bytes) -> ResponseHead | None:
    """Status line and headers (names lower-case); None when the bytes are none."""
    line, headers = _head(data)
    found = _STATUS.match(line)
    return ResponseHead(int(found[2]), found[1], headers) if found else None


def request_head(data: bytes) -> RequestHead | None:
    """Request line and headers (names lower-case); None when the bytes are none."""
    line, headers = _head(data)
    found = _REQUEST.match(line)
    return RequestHead(found[1], found[2], found[3], headers) if found else None


def _head(data: bytes) -> tuple[str, Headers]:
    first, *lines = data.decode("latin-1").split("\n")
    headers: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.rstrip("\r").partition(":")
        if colon and name:
            headers.append((name.strip().lower(), value.strip()))
    return first.rstrip("\r"), tuple(headers)


def header(headers: Headers, name: str) -> str:
    """The first value of that lower-case name, empty when there is none."""
    return next((value for key, value in headers if key == name), "")


class Framing:
    """Takes body bytes as they came off the wire (:meth:`feed`) and gives them without their framing.

    ``done`` says that the framing has told the end; ``broken`` why it made no sense; ``delimited`` that only the
    closing of the connection ends this body.
    """

    def __init__(self, headers: Headers, http: str = "1.1") -> None:
        length = header(headers, "content-length")
        self.chunked = http.startswith("1") and "chunked" in header(headers, "transfer-encoding").lower()
        self.left = int(length) if length.isdecimal() and len(length) < 16 and not self.chunked else None
        self.delimited = self.left is None and not self.chunked
        self.done = self.left == 0
        self.broken = ""
        self._chunks = Dechunker() if self.chunked else None

    def feed(self, data: bytes) -> bytes:
        """The body bytes in ``data``; what follows the end of the body is dropped."""
        if self._chunks is not None:
            body = self._chunks.feed(data)
            self.done, self.broken = self._chunks.done, self._chunks.broken
            return body
        if self.left is None:
            return data
        data = data[: self.left]
        self.left -= len(data)
        self.done = self.left == 0
        return data


class Dechunker:
    """Chunked transfer coding, incrementally. Never raises: ``broken`` tells what was wrong, and feeding ends."""

    def __init__(self) -> None:
        self.done, self.broken = False, ""
        self._line = bytearray()
        self._left = 0  # bytes of the chunk that are still to come
        self._state = "size"  # size → data → gap → size … → trailer

    def feed(self, data: bytes) -> bytes:
        out, at = bytearray(), 0
        while at < len(data) and not self.done and not self.broken:
            if self._state == "data":
                part = data[at : at + self._left]
                out += part
                at += len(part)
                self._left -= len(part)
                self._state = "data" if self._left else "gap"
            else:
                stop = data.find(b"\n", at)
                self._line += data[at : stop if stop >= 0 else len(data)]
                at = stop + 1 if stop >= 0 else len(data)
                if len(self._line) > _LINE_LIMIT:
                    self.broken = f"a chunk's head is longer than {_LINE_LIMIT} bytes"
                elif stop >= 0:
                    self._take(bytes(self._line).rstrip(b"\r"))
                    self._line.clear()
        return bytes(out)

    def _take(self, line: bytes) -> None:
        if self._state == "size":
            found = _SIZE.match(line)
            if found is None:
                self.broken = f"expected a chunk's size, found {line[:20].decode('latin-1')!r}"
                return
            self._left = int(found[1], 16)
            self._state = "data" if self._left else "trailer"
        elif self._state == "gap":
            if line:
                self.broken = "expected a line end after a chunk"
            self._state = "size"
        elif not line:
            self.done = True
