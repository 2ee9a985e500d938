"""Decoded bytes to columns: frames the body and hands each event to its dialect. Knows no clock."""

from __future__ import annotations

from array import array

from harness.wire import sniff, whole
from harness.wire.dialects import errors, route
from harness.wire.ndjson import NDJSONParser, Record
from harness.wire.payload import Broken, parse
from harness.wire.sink import Sink
from harness.wire.sse import LIMIT, Block, SSEParser
from harness.wire.stream import Kind, Stream

_DONE = b"[DONE]"


class Engine:
    """Feeds a :class:`Stream`. ``marks``: per event, the offset of the byte that completed it; ``comment_marks``
    likewise. ``feed`` any split of the (content-decoded) body, then ``close`` once."""

    def __init__(self, stream: Stream, content_type: str = "", limit: int = LIMIT) -> None:
        self.stream = stream
        self.sink = Sink(stream)
        self.sink.seen["told"] = bool(stream.wire)
        self.content_type = content_type
        self.limit = limit
        self.marks: array[int] = array("Q")
        self.comments: list[tuple[int, int]] = []  # (start, end)
        self.framing = ""
        self._held: list[bytes] = []  # all bytes so far, while the framing is unknown or the body is no stream
        self._held_size = 0
        self._sse = SSEParser(limit)
        self._ndjson = NDJSONParser(limit)

    def feed(self, data: bytes) -> None:
        if self.framing == "sse":
            self._blocks(self._sse.blocks(data))
        elif self.framing == "ndjson":
            self._records(self._ndjson.feed(data))
        elif data:
            self._hold(data)

    def close(self) -> None:
        """No more bytes come."""
        if not self.framing:
            self._open(sniff.framing(b"".join(self._held), self.content_type, self.stream.wire, whole=True))
        if self.framing == "sse":
            self._tail()
        elif self.framing == "ndjson":
            self._last(self._ndjson.close())
        elif self.framing == "json":
            whole.json_body(b"".join(self._held), self.stream, self.sink)
        elif self.framing == "text":
            whole.text_body(b"".join(self._held), self.stream)
        self.sink.end()

    def _hold(self, data: bytes) -> None:
        self._held_size += len(data)
        if self.framing and self._held_size > whole.LIMIT + 1:
            return
        self._held.append(data)
        if not self.framing:
            start = b"".join(self._held)
            self._held = [start]
            if found := sniff.framing(start, self.content_type, self.stream.wire):
                self._open(found)

    def _open(self, framing: str) -> None:
        self.framing = self.stream.framing = framing
        if framing in ("sse", "ndjson"):
            start, self._held = b"".join(self._held), []
            self.feed(start)

    def _blocks(self, blocks: list[Block]) -> None:
        for block in blocks:
            self._event(block.data, block.name, block.start, block.end)
            self.marks.append(block.end - 1)
        if self._sse.comments:
            self.comments += self._sse.comments
            self._sse.comments.clear()
        if self._sse.strays:
            self._strays()

    def _event(self, data: bytes | None, name: str, start: int, end: int) -> None:
        """One SSE event to its row."""
        sink = self.sink
        sink.start = start
        if name:
            self.stream.names[sink.event] = name
        if data is None:
            sink.fault("line-limit", f"over {self.limit} bytes; not read")
            kind = Kind.UNKNOWN
        elif data.strip() == _DONE:
            sink.terminator()
            kind = Kind.TERMINATOR
        else:
            kind = self._value(data, name)
        sink.row(kind, start, end)

    def _value(self, data: bytes, name: str) -> Kind:
        sink = self.sink
        value, faults = parse(data)
        if isinstance(value, Broken):
            if name == "error":
                errors.named(data, None, sink)
                return Kind.ERROR
            if self.stream.wire != "other":
                for code, detail in faults:
                    sink.fault(code, detail)
            return Kind.UNKNOWN
        if faults:
            sink.dirty = True
            for code, detail in faults:
                sink.fault(code, detail)
        kind = route.classify(value, name, data, sink)
        sink.dirty = False
        return kind

    def _records(self, records: list[Record]) -> None:
        sink = self.sink
        for record in records:
            sink.start = record.start
            if record.data is None:
                sink.fault("line-limit", f"over {self.limit} bytes; not read")
                kind = Kind.UNKNOWN
            else:
                kind = self._value(record.data, "")
            sink.row(kind, record.start, record.end)
            self.marks.append(record.end - 1)

    def _last(self, records: list[Record]) -> None:
        """A last record without its newline counts when it is whole."""
        for record in records:
            if record.data is None or isinstance(parse(record.data)[0], Broken):
                self.stream.tail = record.data or b""
                self.sink.fault("tail", "the last record is cut off", record.start, event=False)
            else:
                self._records([record])

    def _strays(self) -> None:
        """Lines that are no SSE field: dropped by every parser, and sometimes an error in disguise."""
        for offset, line in self._sse.strays:
            name, _, rest = line.partition(b":")
            text = rest if name == b"error" else line if line[:1] == b"{" else b""
            self.sink.fault(
                "field", f"no field of the standard: {line[:80].decode('utf-8', 'replace')}", offset, event=False
            )
            if text:
                value, _ = parse(text.strip())
                if name == b"error" and not isinstance(value, Broken):
                    errors.named(text, value, self.sink)
                elif isinstance(value, dict):
                    errors.found(value, self.sink)
        self._sse.strays.clear()

    def _tail(self) -> None:
        self._sse.close()
        tail = self._sse.tail
        if not tail.strip():
            return
        self.stream.tail = tail
        scratch = Stream(self.stream.capture, self.stream.wire)
        engine = Engine(scratch, limit=self.limit)
        engine.framing = "sse"
        engine._sse._started = True
        engine._blocks(engine._sse.blocks(tail + b"\n\n"))
        if scratch.kinds:
            offset = self._sse.offset - len(tail)
            broken = any(f.code == "json" for f in scratch.faults)
            self.sink.fault("tail", "the last event has no blank line after it", offset, event=False)
            engine.sink.end()
            self.stream.facts["tail"] = {
                "whole": not broken,
                "kind": Kind(scratch.kinds[0]).name.lower(),
                "text": "".join(c.text for c in scratch.channels),
                "finish": [f.reason for f in scratch.finishes],
            }
