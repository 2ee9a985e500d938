"""When to take the short way: keeps a hole and a form that fit the stream at hand, learns new ones with patience."""

from __future__ import annotations

from collections.abc import Callable

from harness.wire import form, hole
from harness.wire.form import Form
from harness.wire.hole import Hole
from harness.wire.sink import Sink
from harness.wire.stream import Stream

_PATIENCE = 64  # events without a try at learning, at most, when nothing that was learned fits


class Patience:
    """Tries at growing distances while they do not pay."""

    def __init__(self) -> None:
        self._rest, self._pause = 0, 1

    def due(self) -> bool:
        self._rest -= 1
        return self._rest < 0

    def tried(self, paid: bool) -> None:
        """The last try paid, or did not."""
        self._pause = 1 if paid else min(self._pause * 2, _PATIENCE)
        self._rest = self._pause - 1


class Shortcuts:
    """``replay`` decodes one event's bytes by themselves; None: nothing is learned, every event goes the long way."""

    def __init__(self, sink: Sink, replay: Callable[[bytes], Stream] | None) -> None:
        self.hole: Hole | None = None
        self.form: Form | None = None
        self._sink = sink
        self._replay = replay
        self._stretch = 0  # bytes that the last hole read in one go
        self._before = b""  # the last event that went the long way
        self._holes, self._forms = Patience(), Patience()

    def run(self, buffer: bytes, at: int, last: int, base: int) -> int:
        """Decode the events of ``buffer[at:last]`` that fit; where the first one starts that does not."""
        sink = self._sink
        if sink.waiting:
            return at
        while at < last:
            begin = at
            if self.hole is not None and self.hole.identity is sink.current:
                at = self.hole.run(buffer, at, last, base, sink)
                self._stretch = at - begin or self._stretch
            if at < last and self.form is not None and (match := self.form.one(buffer, at, base, sink)):
                if not self.form.counts and (self.hole is None or self.hole.used):
                    self.hole = self.form.aim(buffer, at, match, self._stretch, sink)
                at = match.end()
            if at == begin:
                break
        return at

    def record(self, data: bytes, start: int, end: int) -> bool:
        """Decode one record of NDJSON if it fits."""
        fits = self.form is not None and not self._sink.waiting
        return fits and self.form.one(data, 0, start, self._sink, end) is not None  # type: ignore[union-attr]

    def learn(self, block: bytes, *, bulk: bool = True) -> None:
        """An event went the long way and brought one piece: does it look like those that will come?"""
        old = self.hole
        if self._replay is None or (old is not None and old.used and old.would_fit(block, self._sink)):
            return
        if bulk and self._holes.due():
            new = hole.learn(block, self._sink, self._replay, self._stretch)
            if new is not None or old is None or old.identity is not self._sink.current:
                self.hole = new
            self._holes.tried(old is None or old.used > 0)
        if self._forms.due() and (not bulk or self.hole is None or not self.hole.used or self.form is None):
            old_form = self.form
            if self._before:
                self.form = form.learn(self._before, block, self._sink, self._replay) or old_form
            self._before = block
            self._forms.tried(old_form is not None and old_form.used > 0)
