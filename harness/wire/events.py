"""One framed event to its row: parse, classify, and say what is wrong with it."""

from __future__ import annotations

import orjson

from harness.phrase import phrase
from harness.wire.dialects import errors, route
from harness.wire.payload import Broken, lenient, parse
from harness.wire.sink import Sink
from harness.wire.sse import LIMIT, Aside, Block, SSEParser
from harness.wire.stream import Kind, Stream

_DONE = b"[DONE]"


class Events:
    """Takes framed events into a stream. ``comments``: (start, end) byte offsets of comment lines, for the owner to
    take."""

    def __init__(self, stream: Stream, limit: int = LIMIT) -> None:
        self.stream = stream
        self.sink = Sink(stream)
        self.sink.seen["told"] = bool(stream.wire)
        self.limit = limit
        self.comments: list[tuple[int, int]] = []

    def event(self, data: bytes | None, name: str, start: int, end: int) -> None:
        """One event (its data None: over the limit), named or not, at these offsets."""
        sink = self.sink
        if name:
            self.stream.names[sink.event] = name
        sink.start = start
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
        self.sink.fault("field", phrase("no field of the standard: {line}", line=shown), line.start, event=False)
        value, _ = parse(rest.strip() if name == b"error" else line.line)
        if isinstance(value, dict) and not errors.found(value, self.sink) and name == b"error":
            errors.named(rest, value, self.sink)

    def _odd(self, data: bytes | None, name: str) -> Kind:
        """An event whose data is not strictly JSON."""
        sink = self.sink
        if data is None:
            sink.fault("line-limit", phrase("over {limit} bytes; not read", limit=self.limit))
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


def alone(block: bytes, like: Stream, limit: int = LIMIT) -> Stream:
    """The events of these bytes decoded by themselves, on the wire of another stream."""
    stream = Stream(like.capture, like.wire)
    events = Events(stream, limit)
    for item in SSEParser(limit).items(block):
        if type(item) is Block:
            events.event(item.data, item.name, item.start, item.end)
    events.sink.end()
    return stream
