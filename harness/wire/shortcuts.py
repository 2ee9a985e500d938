"""When to look for a hole, and which: a good one is kept, and none is tried in vain again and again."""

from __future__ import annotations

from harness.wire import hole
from harness.wire.hole import Hole, Replay
from harness.wire.sink import Sink
from harness.wire.stream import CONTENT

_LEAST, _MOST = 1 << 8, 1 << 14  # bytes between two tries
_PAID = 8  # events that a hole must read to be worth its making


class Shortcuts:
    """Reads ahead of the long way what is proven to give the same rows.

    ``replay`` decodes one event's bytes by themselves; None: there are no shortcuts. ``limit``: bytes of one event; a
    longer one goes the long way.
    """

    def __init__(self, sink: Sink, replay: Replay | None, limit: int) -> None:
        self.hole: Hole | None = None
        self.stretch = _LEAST  # bytes to read event by event before the next try at learning
        self._next = 0  # offset of that try
        self._sink = sink
        self._replay = replay
        self._limit = limit

    def run(self, buffer: bytes, at: int, last: int, base: int) -> int:
        """Decode the events of ``buffer[at:last]`` that fit; where the first one starts that does not."""
        taken, sink = self.hole, self._sink
        if taken is None or taken.identity is not sink.current or sink.half or last - at < 4 * taken.around:
            return at
        return taken.run(buffer, at, last, base, sink)

    def learn(self, block: bytes, at: int) -> None:
        """The last event, which had these bytes and ended at offset ``at``, may have brought one piece of text: do
        others look like it?"""
        old, sink, owners = self.hole, self._sink, self._sink.stream.pieces.event
        if at < self._next or self._replay is None or (old is not None and old.would_fit(block, sink)):
            return
        paid = old is not None and old.used >= _PAID
        self.stretch = _LEAST if paid else min(self.stretch * 2, _MOST)
        self._next = at + self.stretch // 2
        if sink.plain and owners[-2:].count(sink.event - 1) == 1 and sink.stream.kinds[-1] in CONTENT:
            kind, channel = sink.stream.kinds[-1], sink.stream.pieces.channel[-1]
            text, name = sink.parts[channel][-1], sink.stream.names.get(sink.event - 1, "")
            length = old.stretch if old is not None else 0
            new = hole.learn(block, text, kind, channel, name, sink, self._replay, self._limit, length)
            self.hole = new or old
