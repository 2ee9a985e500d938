"""From bytes to single events: SSE whose events end alike in bulk, everything else line by line."""

from __future__ import annotations

import re
from typing import Protocol

from harness.wire.mould import Sample
from harness.wire.shortcuts import Shortcuts
from harness.wire.sse import Aside, Block, SSEParser

_LF, _CRLF = b"\n\n", b"\r\n\r\n"
_NAME = re.compile(rb"event: ?([!-~]+)\r?\n")
_SLICE = 1 << 18  # bytes whose events are listed at one time


class Reader(Protocol):
    """Who takes the events."""

    def event(self, data: bytes | None, name: str, start: int, end: int) -> None: ...

    def aside(self, line: Aside) -> None: ...


class SSEFrames:
    """Gives a :class:`Reader` the SSE events of a body. Whole events are cut out at their blank lines, LF or CRLF,
    whichever comes first; what is odd between two of them (other line ends, a BOM, several lines, comments, oversize)
    goes through :class:`SSEParser`, which knows it all. ``short`` is asked first (None: there are no shortcuts)."""

    def __init__(self, body: bytes, reader: Reader, limit: int, short: Shortcuts | None) -> None:
        self._body, self._reader, self._limit, self._short = body, reader, limit, short
        self._parser = SSEParser(limit)
        self.oversize: int | None = None  # where the last block began, had it no end and too many bytes
        self._blank = _first_blank(body)
        self._late = len(self._blank) // 4  # bytes after the one that dispatches: the LF of a CRLF

    def run(self) -> bytes:
        """Read all; what is left is the unterminated last block."""
        body, blank, short = self._body, self._blank, self._short
        at, last = 0, body.rfind(blank) + len(blank)
        if last < len(blank):
            last = 0
        while at < last:
            for _ in range(short.patience if short else 1):
                begin, plain = at, self._plain(at)
                at = self._odd(at) if plain is None else self._one(at, *plain)
                if at == last:
                    break
            if short and plain is not None:
                name, start, stop = plain
                short.learn(Sample(body[begin:at], start - begin, stop - begin, name, blank))
            if short:
                at = short.run(body, at, last)
        self._line_by_line(at, len(body))
        self._parser.close()
        self.oversize = self._parser.oversize
        return self._parser.tail

    def _plain(self, at: int) -> tuple[str, int, int] | None:
        """Of an event with one line of data, and perhaps a name before it: the name, and where the data stands."""
        body, name = self._body, ""
        start = at
        if body.startswith(b"event:", at):
            if (found := _NAME.match(body, at)) is None:
                return None
            name, start = found[1].decode(), found.end()
        if not body.startswith(b"data:", start):
            return None
        start += 6 if body[start + 5] == 32 else 5
        stop = body.find(b"\n", start) - self._late
        if not body.startswith(self._blank, stop) or stop - at > self._limit:
            return None
        return None if b"\r" in body[start:stop] else (name, start, stop)

    def _one(self, at: int, name: str, start: int, stop: int) -> int:
        end = stop + len(self._blank)
        self._reader.event(self._body[start:stop], name, at, end - self._late)
        return end

    def _odd(self, at: int) -> int:
        """What stands before the next blank line of the kind that is looked for, whatever it is."""
        end = at + len(self._blank) // 2
        if not self._blank.startswith(self._body[at:end]):  # else a blank line more
            end = self._body.find(self._blank, at) + len(self._blank)
            self._line_by_line(at, end)
        return end

    def _line_by_line(self, at: int, end: int) -> None:
        if at:
            self._parser.seek(at)
        for start in range(at, end, _SLICE):
            for item in self._parser.items(self._body[start : min(start + _SLICE, end)]):
                if type(item) is Block:
                    self._reader.event(item.data, item.name, item.start, item.end)
                else:
                    self._reader.aside(item)  # type: ignore[arg-type]


def _first_blank(body: bytes) -> bytes:
    """Which blank line comes first."""
    size = 1 << 12
    while True:
        crlf = body.find(_CRLF, 0, size)
        if body.find(_LF, 0, size if crlf < 0 else crlf) >= 0:
            return _LF
        if crlf >= 0 or size >= len(body):
            return _CRLF if crlf >= 0 else _LF
        size *= 8
