"""Decoded bytes to columns: tells the framing, cuts the body into events, ends it. Knows no clock."""

from __future__ import annotations

from collections.abc import Callable

from harness.wire import sniff, whole
from harness.wire.events import Events, alone
from harness.wire.frames import SSEFrames
from harness.wire.ndjson import NDJSONParser, Record
from harness.wire.payload import Broken, parse
from harness.wire.sse import LIMIT
from harness.wire.stream import Kind, Stream

_SLICE = 1 << 18  # bytes whose records are listed at one time


class Engine:
    """Fills a :class:`Stream`, its times and reads apart. Give any split of the (content-decoded) body to ``feed``,
    then ``close`` once.

    ``events``: the reader of events, whose ``comments`` the owner takes. ``plain`` switches off what is learned from
    one event about the next (see :mod:`harness.wire.hole`).
    """

    def __init__(self, stream: Stream, content_type: str = "", limit: int = LIMIT, plain: bool = False) -> None:
        self.stream = stream
        self.events = Events(stream, limit, plain)
        self.feed: Callable[[bytes], None] = self._hold
        self._content_type = content_type
        self._limit = limit
        self._framing = ""
        self._held: list[bytes] = []  # all bytes so far, while the framing is unknown or the body is no stream
        self._held_size = 0
        self._sse = SSEFrames(self.events, limit, None if plain else lambda block: alone(block, stream, limit))
        self._ndjson = NDJSONParser(limit)

    def close(self) -> None:
        """No more bytes come."""
        if not self._framing:
            self._open(sniff.framing(b"".join(self._held), self._content_type, self.stream.wire, whole=True))
        sink = self.events.sink
        if self._framing == "sse":
            if (tail := self._sse.close()).strip():
                self._tail(tail)
        elif self._framing == "ndjson":
            self._last(self._ndjson.close())
        elif self._framing == "json":
            whole.json_body(b"".join(self._held), self._held_size, self.stream, sink)
        elif self._framing == "text":
            whole.text_body(b"".join(self._held), self.stream)
        if not self.stream.wire:  # nobody's stream that we know: nothing says that it should be JSON
            self.stream.faults = [fault for fault in self.stream.faults if fault.code != "json"]
        sink.end()

    def _hold(self, data: bytes) -> None:
        self._held_size += len(data)
        if not data or (self._framing and self._held_size > whole.LIMIT):
            return
        self._held.append(data)
        if not self._framing:
            start = b"".join(self._held)
            self._held = [start]
            if found := sniff.framing(start, self._content_type, self.stream.wire):
                self._open(found)

    def _open(self, framing: str) -> None:
        self._framing = self.stream.framing = framing
        if framing in ("sse", "ndjson"):
            self.feed = self._sse.feed if framing == "sse" else self._feed_records
            start, self._held = b"".join(self._held), []
            self.feed(start)

    def _feed_records(self, data: bytes) -> None:
        for at in range(0, len(data), _SLICE):
            self._records(self._ndjson.feed(data[at : at + _SLICE]))

    def _records(self, records: list[Record]) -> None:
        for record in records:
            self.events.event(record.data, "", record.start, record.end)

    def _last(self, records: list[Record]) -> None:
        """A last record without its newline counts when it is whole."""
        for record in records:
            if record.data is None or isinstance(parse(record.data)[0], Broken):
                self.stream.tail = record.data or b""
                self.events.sink.fault("tail", "the last record is cut off", record.start, event=False)
            else:
                self._records([record])

    def _tail(self, tail: bytes) -> None:
        """Keep what the standard drops, and say what a lenient client would make of it."""
        self.stream.tail = tail
        found = alone(tail + b"\n\n", self.stream, self._limit)
        if not found.kinds:
            return
        offset = self._sse.parser.offset - len(tail)
        self.events.sink.fault("tail", "the last event has no blank line after it", offset, event=False)
        self.stream.facts["tail"] = {
            "whole": not any(fault.code == "json" for fault in found.faults),
            "kind": Kind(found.kinds[0]).name.lower(),
            "text": "".join(channel.text for channel in found.channels),
            "finish": [finish.reason for finish in found.finishes],
        }
