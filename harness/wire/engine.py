"""Decoded bytes to columns: frames the body and hands each event to its dialect. Knows no clock."""

from __future__ import annotations

import orjson

from harness.wire import sniff, whole
from harness.wire.dialects import errors, route
from harness.wire.frames import SSEFrames
from harness.wire.ndjson import NDJSONParser, Record
from harness.wire.payload import Broken, lenient, parse
from harness.wire.sink import Sink
from harness.wire.sse import LIMIT, Aside
from harness.wire.stream import Kind, Stream

_DONE = b"[DONE]"


class Engine:
    """Fills a :class:`Stream`, its times and reads apart. ``feed`` any split of the (content-decoded) body, then
    ``close`` once. ``comments``: (start, end) byte offsets of comment lines, for the owner to take.

    ``plain`` switches off what is learned from one event about the next (see :mod:`harness.wire.hole`).
    """

    def __init__(self, stream: Stream, content_type: str = "", limit: int = LIMIT, plain: bool = False) -> None:
        self.stream = stream
        self.sink = Sink(stream)
        self.sink.seen["told"] = bool(stream.wire)
        self.content_type = content_type
        self.limit = limit
        self.framing = ""
        self.comments: list[tuple[int, int]] = []
        self._held: list[bytes] = []  # all bytes so far, while the framing is unknown or the body is no stream
        self._held_size = 0
        self._sse = SSEFrames(self, limit, None if plain else self._replay)
        self._ndjson = NDJSONParser(limit)

    def feed(self, data: bytes) -> None:
        if self.framing == "sse":
            self._sse.feed(data)
        elif self.framing == "ndjson":
            self._records(self._ndjson.feed(data))
        elif data:
            self._hold(data)

    def close(self) -> None:
        """No more bytes come."""
        if not self.framing:
            self._open(sniff.framing(b"".join(self._held), self.content_type, self.stream.wire, whole=True))
        if self.framing == "sse":
            if (tail := self._sse.close()).strip():
                self._tail(tail)
        elif self.framing == "ndjson":
            self._last(self._ndjson.close())
        elif self.framing == "json":
            whole.json_body(b"".join(self._held), self._held_size, self.stream, self.sink)
        elif self.framing == "text":
            whole.text_body(b"".join(self._held), self.stream)
        if not self.stream.wire:  # nobody's stream that we know: nothing says that it should be JSON
            self.stream.faults = [fault for fault in self.stream.faults if fault.code != "json"]
        self.sink.end()

    def event(self, data: bytes | None, name: str, start: int, end: int) -> None:
        """One SSE event to its row."""
        sink = self.sink
        sink.start, sink.plain = start, True
        if name:
            self.stream.names[sink.event] = name
        try:
            kind = route.classify(orjson.loads(data), name, data, sink)  # type: ignore[arg-type]
        except orjson.JSONDecodeError:
            kind = self._odd(data, name)
        sink.row(kind, start, end)

    def aside(self, line: Aside) -> None:
        """A comment, or a line that is no SSE field: dropped by every parser, and sometimes an error in disguise."""
        if line.line[:1] == b":":
            self.comments.append((line.start, line.end))
            return
        name, _, rest = line.line.partition(b":")
        shown = line.line[:80].decode("utf-8", "replace")
        self.sink.fault("field", f"no field of the standard: {shown}", line.start, event=False)
        value, _ = parse(rest.strip() if name == b"error" else line.line)
        if isinstance(value, dict) and not errors.found(value, self.sink) and name == b"error":
            errors.named(rest, value, self.sink)

    def _hold(self, data: bytes) -> None:
        self._held_size += len(data)
        if self.framing and self._held_size > whole.LIMIT:
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

    def _odd(self, data: bytes | None, name: str) -> Kind:
        """An event whose data is not strictly JSON."""
        sink = self.sink
        if data is None:
            sink.fault("line-limit", f"over {self.limit} bytes; not read")
            return Kind.UNKNOWN
        if data.strip() == _DONE:
            sink.terminator()
            return Kind.TERMINATOR
        value, faults = lenient(data)
        if isinstance(value, Broken):
            if name == "error":
                errors.named(data, None, sink)
                return Kind.ERROR
            if self.stream.wire != "other":
                for code, detail in faults:
                    sink.fault(code, detail)
            return Kind.UNKNOWN
        for code, detail in faults:
            sink.fault(code, detail)
        sink.dirty = True
        kind = route.classify(value, name, data, sink)
        sink.dirty = False
        return kind

    def _records(self, records: list[Record]) -> None:
        for record in records:
            self.event(record.data, "", record.start, record.end)

    def _last(self, records: list[Record]) -> None:
        """A last record without its newline counts when it is whole."""
        for record in records:
            if record.data is None or isinstance(parse(record.data)[0], Broken):
                self.stream.tail = record.data or b""
                self.sink.fault("tail", "the last record is cut off", record.start, event=False)
            else:
                self._records([record])

    def _replay(self, block: bytes) -> Stream:
        """These bytes decoded by themselves."""
        stream = Stream(self.stream.capture, self.stream.wire)
        engine = Engine(stream, limit=self.limit, plain=True)
        engine._open("sse")
        engine.feed(block)
        engine.sink.end()
        return stream

    def _tail(self, tail: bytes) -> None:
        """Keep what the standard drops, and say what a lenient client would make of it."""
        self.stream.tail = tail
        found = self._replay(tail + b"\n\n")
        if not found.kinds:
            return
        self.sink.fault(
            "tail", "the last event has no blank line after it", self._sse.parser.offset - len(tail), event=False
        )
        self.stream.facts["tail"] = {
            "whole": not any(fault.code == "json" for fault in found.faults),
            "kind": Kind(found.kinds[0]).name.lower(),
            "text": "".join(channel.text for channel in found.channels),
            "finish": [finish.reason for finish in found.finishes],
        }
