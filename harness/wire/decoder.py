"""Decoding while the answer still comes: for whoever listens beside a stream and cannot wait for its end."""

from __future__ import annotations

from array import array

from harness.capture.model import Capture, Head
from harness.wire import sniff
from harness.wire.coding import ContentDecoder
from harness.wire.engine import Engine
from harness.wire.sse import LIMIT
from harness.wire.stamps import reads_of
from harness.wire.stream import Stream

_NONE = range(0)
_HELD = 1 << 16  # bytes without a line end that are held back, at most


class Decoder:
    """Bytes and their times in, rows of :attr:`stream` out; the same rows as :func:`harness.wire.decode.decode` gives
    for the same reads. The body itself is not kept (``stream.body`` stays empty), so memory is that of the columns.

    ``wire`` "" means: tell by content. ``head``: the response's, for content type and coding. ``limit``: bytes of one
    event.
    """

    def __init__(self, wire: str = "", head: Head | None = None, *, decoded: bool = False, limit: int = LIMIT) -> None:
        self.stream = Stream(Capture(hop="", wire=wire, head=head), wire)
        if head is not None:
            self.stream.facts["status"] = head.status
        coding = "" if head is None else head.get("content-encoding")
        self._coding = ContentDecoder(coding, decoded)
        self._plain = False
        self._engine = Engine(self.stream, head.get("content-type") if head else "", limit)
        self._sink = self._engine.events.sink
        self._comments = self._engine.events.comments
        self._times: array[float] = array("d")
        self._size = self._given = 0  # bytes, and those that the engine has
        self._held: list[bytes] = []  # the rest
        self._add_time, self._add_end = self._times.append, self.stream.read_ends.append

    def feed(self, data: bytes, t: float) -> range:
        """Take one read that came at ``t`` ms; the numbers of the events that it completed."""
        if not self._plain:
            data = self._coding.feed(data)
            self._plain = self._coding.idle
        self._size = size = self._size + len(data)
        self._add_time(t)
        self._add_end(size)
        if b"\n" not in data and b"\r" not in data and size - self._given < _HELD:  # the middle of a line
            self._held.append(data)
            return _NONE
        if self._held:
            self._held.append(data)
            data = b"".join(self._held)
            self._held.clear()
        self._given = size
        sink = self._sink
        before = sink.event
        self._engine.feed(data)
        if self._comments:
            self._place_comments()
        new, stream = sink.event - before, self.stream
        if new == 1:
            stream.reads.append(len(self._times) - 1)
            stream.times.append(t)
        elif new:
            stream.reads.extend(array("I", [len(self._times) - 1]) * new)
            stream.times.extend(array("d", [t]) * new)
        return range(before, before + new)

    def _place_comments(self) -> None:
        """A comment may be told later than it came, with the event that it stands before."""
        reads = reads_of([end for _, end in self._comments], self.stream.read_ends)
        for read, (start, _) in zip(reads, self._comments, strict=True):
            self.stream.comments.append((self._times[read] if self._times else 0.0, start))
        self._comments.clear()

    def settle(self) -> Stream:
        """The stream so far, channel texts included."""
        self._sink.settle()
        return self.stream

    def close(self, complete: bool = True, url: str = "") -> Stream:
        """No more reads come; ``complete`` when the framing said so. ``url``: tells the wire if nothing else."""
        stream = self.stream
        before = len(stream.kinds)
        if out := self._coding.close(complete):
            self._size += len(out)
            if stream.read_ends:
                stream.read_ends[-1] = self._size
            self._held.append(out)
        self._engine.feed(b"".join(self._held))
        self._engine.close()
        late = reads_of(stream.ends[before:], stream.read_ends)
        stream.reads.extend(late)
        stream.times.extend(array("d", (self._times[read] if self._times else 0.0 for read in late)))
        self._place_comments()
        stream.coding = self._coding.name or "identity"
        stream.faults[:0] = self._coding.faults
        stream.facts.update(self._coding.facts())
        stream.wire = stream.wire or sniff.wire_of(url) or "other"
        return stream
