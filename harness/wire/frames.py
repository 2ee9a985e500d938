"""From bytes to single events: SSE in bulk where all lines end alike, in LF or CRLF, line by line where they do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from harness.wire.shortcuts import Shortcuts
from harness.wire.sink import Sink
from harness.wire.sse import Aside, Block, SSEParser
from harness.wire.stream import Stream

_SLICE = 1 << 18  # bytes whose events are listed at one time


class Reader(Protocol):
    """Who takes the events."""

    sink: Sink

    def event(self, data: bytes | None, name: str, start: int, end: int) -> None: ...

    def aside(self, line: Aside) -> None: ...


class SSEFrames:
    """Feeds a :class:`Reader` with SSE events. Whole events are cut out of the buffer at their blank lines as
    long as all line ends are LF, or all CRLF and never split over reads; everything else (CR, BOM, several lines,
    oversize) goes through :class:`SSEParser`, which knows it all."""

    def __init__(self, reader: Reader, limit: int, replay: Callable[[bytes], Stream] | None) -> None:
        self.parser = SSEParser(limit)
        self._reader = reader
        self._limit = limit
        self.short = Shortcuts(reader.sink, replay)
        self._held: list[bytes] = []  # since the last event
        self._size = 0
        self._base = 0  # offset of the first held byte
        self._newline = False  # the last held byte is an LF
        self._eol = b""  # not known yet
        self._by_line = False

    def feed(self, data: bytes) -> None:
        if self._size and not self._by_line and b"\n" not in data and b"\r" not in data:  # the middle of a line
            self._held.append(data)
            self._size += len(data)
            self._newline = self._newline and not data
            if self._size > self._limit:
                self._give_up()
            return
        if self._by_line or not self._alike(data):
            self._give_up()
            self._line_by_line(data)
            return
        self._held.append(data)
        self._size += len(data)
        if self._eol and ((self._newline and data[:1] in (b"\n", b"\r")) or self._eol * 2 in data):
            buffer = b"".join(self._held) if len(self._held) > 1 else data
            done = self._bulk(buffer)
            self._base += done
            self._size = len(buffer) - done
            self._held = [buffer[done:]] if self._size else []
            self._newline = False if not self._size else buffer[-1] == 10
        elif data:
            self._newline = data[-1] == 10
            if self._size > self._limit:
                self._give_up()

    def close(self) -> bytes:
        """No more bytes come; the unterminated last block."""
        self._give_up()
        self.parser.close()
        return self.parser.tail

    def _alike(self, data: bytes) -> bool:
        """Lines end as they did so far (and no BOM stands at the start)."""
        if b"\r" not in data:
            if not self._eol:
                self._eol = b"\n" if b"\n" in data else b""
                return bool(self._base or self._size) or data[:1] != b"\xef"
            return self._eol == b"\n" or b"\n" not in data
        if self._eol == b"\n":
            return False
        pairs = data.count(b"\r\n")
        self._eol = b"\r\n"
        return data[:1] != b"\xef" and pairs == data.count(b"\r") == data.count(b"\n")

    def _give_up(self) -> None:
        """From here on line by line."""
        if self._by_line:
            return
        self._by_line = True
        if self._base or self._size:
            self.parser.seek(self._base)
        for data in self._held:
            self._line_by_line(data)
        self._held = []

    def _line_by_line(self, data: bytes) -> None:
        for at in range(0, len(data), _SLICE):
            self._items(self.parser.items(data[at : at + _SLICE]))

    def _items(self, items: list[Block | Aside]) -> None:
        for item in items:
            if type(item) is Block:
                self._reader.event(item.data, item.name, item.start, item.end)
            else:
                self._reader.aside(item)  # type: ignore[arg-type]

    def _bulk(self, buffer: bytes) -> int:
        """Read the whole events of the buffer; where they end."""
        at, base, sink = 0, self._base, self._reader.sink
        eol, blank, width = self._eol, self._eol * 2, len(self._eol) * 2
        late = len(eol) - 1  # the LF of a CRLF is not the byte that dispatches
        last = buffer.rfind(blank) + width
        run = self.short.run
        owners, event = sink.stream.pieces.event, self._reader.event
        while at < last:
            at = run(buffer, at, last, base)
            if at == last:
                break
            if buffer[at] == eol[0]:
                at += len(eol)
                continue
            end = buffer.find(blank, at) + width
            pieces = len(owners)
            if buffer.startswith(b"data: ", at) and buffer.find(eol, at, end - width) < 0 and end - at <= self._limit:
                event(buffer[at + 6 : end - width], "", base + at, base + end - late)
            else:
                self.parser.seek(base + at)
                self._items(self.parser.items(buffer[at:end]))
            if len(owners) == pieces + 1:
                self.short.learn(buffer[at:end])
            at = end
        return last
