"""Transfer decoding of a response body, fed one socket read at a time. Pure.

httpx would hand the body out in HTTP chunks; a read must stay a read, so the body is taken from the socket and
decoded here (RFC 9112, 6 and 7.1). Each decoder: ``feed(bytes) -> bytes`` gives the body bytes that a read brought,
``done`` says that the framing has ended the body, ``open_ended`` that only the end of the connection does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,16})[ \t]*(?:;.*)?", re.S)
LINE_LIMIT = 16 * 1024  # bytes of a chunk's size line or of a trailer line


class FramingError(ValueError):
    """The bytes are not what the head announced."""


class Length:
    """``content-length``; 0 for a response that has no body."""

    open_ended = False

    def __init__(self, length: int) -> None:
        self.left = length

    @property
    def done(self) -> bool:
        return self.left == 0

    def feed(self, data: bytes) -> bytes:
        data = data[: self.left]
        self.left -= len(data)
        return data


class UntilClose:
    """Neither length nor chunks: the body ends with the connection."""

    open_ended = True
    done = False

    def feed(self, data: bytes) -> bytes:
        return data


class Chunked:
    """``transfer-encoding: chunked``. Extensions and trailers are passed over."""

    open_ended = False

    def __init__(self) -> None:
        self.done = False
        self._left = 0  # bytes of the chunk at hand
        self._closing = False  # the line break after a chunk is due
        self._trailing = False  # after the last chunk
        self._rest = b""  # the beginning of a line

    def feed(self, data: bytes) -> bytes:
        """Raises FramingError; the decoder must not be fed after that."""
        if self._rest:
            data, self._rest = self._rest + data, b""
        parts: list[bytes] = []
        at, size = 0, len(data)
        while at < size and not self.done:
            if self._left:
                parts.append(data[at : at + self._left])
                self._left -= len(parts[-1])
                at += len(parts[-1])
                self._closing = not self._left
                continue
            end = data.find(b"\n", at)
            if end < 0:
                if size - at > LINE_LIMIT:
                    raise FramingError("a chunk's line is too long")
                self._rest = data[at:]
                break
            self._line(data[at:end])
            at = end + 1
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _line(self, line: bytes) -> None:
        if line.endswith(b"\r"):
            line = line[:-1]
        elif not self._trailing:
            raise FramingError("a chunk's line does not end with CR LF")
        if self._closing:
            if line:
                raise FramingError("a chunk is longer than it says")
            self._closing = False
        elif self._trailing:
            if line and b":" not in line:
                raise FramingError(f"{line[:20]!r} is no trailer field")
            self.done = not line
        else:
            found = SIZE.fullmatch(line)
            if found is None:
                raise FramingError(f"{line[:20]!r} is not the size of a chunk")
            self._left = int(found[1], 16)
            self._trailing = not self._left


Framing = Length | UntilClose | Chunked


def framing_of(status: int, headers: Iterable[tuple[str, str]]) -> Framing:
    """The framing of a response to a POST; header names lower-case, already checked by the head's parser."""
    if status < 200 or status in (204, 304):
        return Length(0)
    fields = dict(headers)
    if "chunked" in fields.get("transfer-encoding", "").lower():
        return Chunked()
    length = fields.get("content-length", "")
    return Length(int(length.partition(",")[0])) if length else UntilClose()


_HEAD_END = re.compile(rb"\n\r?\n")
_INTERIM = re.compile(rb"\s*HTTP/\d\.\d 1(?!01)")


def after_head(data: bytes) -> bytes:
    """What follows the final head in the bytes of a response; interim (1xx) heads are passed over."""
    while True:
        end = _HEAD_END.search(data)
        if end is None:
            return b""
        interim = _INTERIM.match(data) is not None
        data = data[end.end() :]
        if not interim:
            return data
