"""From bytes to single events: SSE in bulk where all lines end alike, in LF or CRLF, line by line where they do not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from harness.wire.shortcuts import Shortcuts
from harness.wire.sink import Sink
from harness.wire.sse import Aside, Block, SSEParser
from harness.wire.stream import Stream

_EVENT = re.compile(rb"(?:event: ([!-~]+)\r?\n)?data: ([^\r\n]*)(?:\r\n\r\n|\n\n)")
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
        self.short = Shortcuts(reader.sink, replay, limit)
        self._held: list[bytes] = []  # since the last event
        self._size = 0
        self._base = 0  # offset of the first held byte
        self._newline = False  # the last held byte is an LF
        self._eol = b""  # not known yet
        self._owed = b""  # the half of a CRLF that was held back (CR) or is to be passed over (LF)
        self._by_line = False

    def feed(self, data: bytes) -> None:
        if self._by_line:
            self._line_by_line(data)
        elif data:
            if self._owed or self._eol != b"\n" or b"\r" in data:
                data = self._whole_ends(data)
                if self._by_line or not self._alike(data):
                    self._give_up(data)
                    return
            eol, after = self._eol, self._newline
            self._held.append(data)
            self._size += len(data)
            self._newline = data[-1:] == b"\n"
            stop = data.find(eol) if eol else -1
            if stop >= 0 and ((after and not stop) or data.startswith(eol, stop + len(eol)) or eol * 2 in data):
                self._events(b"".join(self._held) if len(self._held) > 1 else data)
                return
        if self._size > self._limit:
            self._give_up()

    def _events(self, buffer: bytes) -> None:
        """Read the events of the buffer that are whole; hold the rest."""
        eol = self._eol
        blank, stop = eol * 2, buffer.find(eol)
        size = stop + len(blank)
        if buffer.startswith(blank, stop) and buffer.startswith(b"data: ") and size <= self._limit:
            start = self._base  # the LF of a CRLF is not the byte that dispatches
            self._reader.event(buffer[6:stop], "", start, start + size - len(eol) + 1)
            self._base += size
            buffer = buffer[size:]
        elif (named := _EVENT.match(buffer)) is not None and named.end() <= self._limit:
            self._one(named)
            self._base += named.end()
            buffer = buffer[named.end() :]
        if blank in buffer:
            done = self._bulk(buffer)
            self._base += done
            buffer = buffer[done:]
        self._size = len(buffer)
        self._held = [buffer] if buffer else []
        self._newline = buffer[-1:] == b"\n"

    def close(self) -> bytes:
        """No more bytes come; the unterminated last block."""
        self._give_up()
        self.parser.close()
        return self.parser.tail

    def _whole_ends(self, data: bytes) -> bytes:
        """The data without half of a CRLF: a last CR waits for its LF, or, where it dispatches, is given one."""
        if self._owed == b"\n":
            self._owed = b""
            if data[0] == 10:
                data = data[1:]
            else:
                self._base -= 1
                self._by_line = True
                self.parser.seek(self._base)
                return data
        data, self._owed = self._owed + data, b""
        if data[-1:] != b"\r":
            return data
        blank = data[-2] == 10 if len(data) > 1 else self._newline
        self._owed = b"\n" if blank else b"\r"
        return data + b"\n" if blank else data[:-1]

    def _alike(self, data: bytes) -> bool:
        """Lines end as they did so far (and no BOM stands at the start)."""
        if data[:1] == b"\xef" and not (self._base or self._size):
            return False
        if b"\r" not in data:
            if not self._eol:
                self._eol = b"\n" if b"\n" in data else b""
            return self._eol != b"\r\n" or b"\n" not in data
        if self._eol == b"\n":
            return False
        self._eol = b"\r\n"
        return data.count(b"\r\n") == data.count(b"\r") == data.count(b"\n")

    def _give_up(self, data: bytes = b"") -> None:
        """From here on, with this data, line by line."""
        if not self._by_line:
            self._by_line = True
            if self._base or self._size:
                self.parser.seek(self._base)
            for held in self._held:
                self._line_by_line(held)
            self._held = []
        data = data[:-1] if self._owed == b"\n" and data else data + self._owed.strip(b"\n")
        self._owed = b""
        self._line_by_line(data)

    def _line_by_line(self, data: bytes) -> None:
        for at in range(0, len(data), _SLICE):
            self._items(self.parser.items(data[at : at + _SLICE]))

    def _items(self, items: list[Block | Aside]) -> None:
        for item in items:
            if type(item) is Block:
                self._reader.event(item.data, item.name, item.start, item.end)
            else:
                self._reader.aside(item)  # type: ignore[arg-type]

    def _one(self, found: re.Match[bytes]) -> None:
        """An event with one line of data, and perhaps a name before it."""
        name, data = found.groups()
        end = self._base + found.end() - (len(self._eol) - 1)  # the LF of a CRLF is not the byte that dispatches
        self._reader.event(data, "" if name is None else name.decode(), self._base + found.start(), end)

    def _bulk(self, buffer: bytes) -> int:
        """Read the whole events of the buffer; where they end."""
        at, base, short, eol = 0, self._base, self.short, self._eol
        blank, width, late = eol * 2, len(eol) * 2, len(eol) - 1  # the LF of a CRLF is not the byte that dispatches
        last = buffer.rfind(blank) + width
        between, event, limit = blank + b"data: ", self._reader.event, self._limit
        while at < last:
            at = short.run(buffer, at, last, base)
            if at == last:
                break
            if buffer.startswith(b"data: ", at):
                block = b""
                for block in buffer[at + 6 : self._stretch(buffer, at, last, blank) - width].split(between):
                    end = at + len(block) + 6 + width
                    if b"\n" in block or end - at > limit:
                        break
                    event(block, "", base + at, base + end - late)
                    at = end
                else:
                    short.learn(b"data: " + block + blank, base + at)
                    continue
            end = at + len(eol)
            if buffer[at] != eol[0]:
                end = buffer.find(blank, at) + width
                found = _EVENT.match(buffer, at)
                if found is not None and end - at <= limit:
                    self._one(found)
                else:
                    self.parser.seek(base + at)
                    self._items(self.parser.items(buffer[at:end]))
                short.learn(buffer[at:end], base + end)
            at = end
        return last

    def _stretch(self, buffer: bytes, at: int, last: int, blank: bytes) -> int:
        """Where to stop to look for a hole: behind some whole events, one at least."""
        most = at + self.short.stretch
        if last <= most:
            return last
        found = buffer.rfind(blank, at, most)
        return (found if found > at else buffer.find(blank, at)) + len(blank)
