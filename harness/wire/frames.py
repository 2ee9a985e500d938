"""From bytes to single events: SSE in bulk where lines end in LF alone, line by line where they do not."""

from __future__ import annotations

from typing import Protocol

from harness.wire.hole import Hole, Replay, learn
from harness.wire.sink import Sink
from harness.wire.sse import Block, SSEParser

_PATIENCE = 64  # events without a try at learning, at most, when holes do not fit what comes


class Reader(Protocol):
    """Who takes the events."""

    sink: Sink

    def event(self, data: bytes | None, name: str, start: int, end: int) -> None: ...

    def aside(self, parser: SSEParser) -> None: ...


class SSEFrames:
    """Feeds a :class:`Reader` with SSE events. Whole events without a CR are cut out of the buffer at their blank
    lines; everything else (CR, BOM, several lines, oversize) goes through :class:`SSEParser`, which knows it all."""

    def __init__(self, reader: Reader, limit: int, replay: Replay | None) -> None:
        self.parser = SSEParser(limit)
        self._reader = reader
        self._limit = limit
        self._replay = replay
        self._held: list[bytes] = []  # since the last event
        self._size = 0
        self._base = 0  # offset of the first held byte
        self._newline = False  # the last held byte is an LF
        self._by_line = False
        self._hole: Hole | None = None
        self._rest, self._pause = 0, 1  # events until the next try at learning; how many after a failure

    def feed(self, data: bytes) -> None:
        if not self._by_line and (b"\r" in data or (not self._base and not self._size and data[:1] == b"\xef")):
            self._give_up()
        if self._by_line:
            self._blocks(self.parser.blocks(data))
            return
        self._held.append(data)
        self._size += len(data)
        if b"\n\n" in data or (self._newline and data[:1] == b"\n"):
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
        if not self._by_line:
            self._give_up()
        self.parser.close()
        return self.parser.tail

    def _give_up(self) -> None:
        """From here on line by line."""
        self._by_line = True
        if self._base or self._size:
            self.parser.seek(self._base)
        for data in self._held:
            self._blocks(self.parser.blocks(data))
        self._held = []

    def _blocks(self, blocks: list[Block]) -> None:
        for block in blocks:
            self._reader.event(block.data, block.name, block.start, block.end)
        if self.parser.comments or self.parser.strays:
            self._reader.aside(self.parser)

    def _bulk(self, buffer: bytes) -> int:
        """Read the whole events of the buffer; where they end."""
        at, base, sink = 0, self._base, self._reader.sink
        last = buffer.rfind(b"\n\n") + 2
        while at < last:
            hole = self._hole
            if hole is not None and hole.identity is sink.current and not sink.waiting:
                at = hole.run(buffer, at, last, base, sink)
                if at == last:
                    break
            if buffer[at] == 10:
                at += 1
                continue
            end = buffer.find(b"\n\n", at) + 2
            pieces = len(sink.stream.pieces)
            if buffer.startswith(b"data: ", at) and buffer.find(b"\n", at, end - 2) < 0 and end - at <= self._limit:
                self._reader.event(buffer[at + 6 : end - 2], "", base + at, base + end)
            else:
                self.parser.seek(base + at)
                self._blocks(self.parser.blocks(buffer[at:end]))
            if len(sink.stream.pieces) != pieces:
                self._learn(buffer, at, end, pieces)
            at = end
        return last

    def _learn(self, buffer: bytes, at: int, end: int, pieces: int) -> None:
        if self._rest:
            self._rest -= 1
            return
        if self._hole is not None:
            self._pause = 1 if self._hole.used else min(self._pause * 2, _PATIENCE)
        if self._replay is not None:
            self._hole = learn(buffer[at:end], self._reader.sink, pieces, self._replay)
        self._rest = self._pause - 1
