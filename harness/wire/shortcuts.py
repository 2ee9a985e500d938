"""When to look for a mould, and which: a good one is kept, and none is tried in vain again and again."""

from __future__ import annotations

from harness.wire.learn import learn
from harness.wire.mould import Mould, Sample
from harness.wire.sink import Sink

_PAID = 8  # events that a mould must read to be worth its making
_MOST = 63  # events read one by one between two tries of a mould
_LONGEST = 1024  # and between two tries at learning one


class Shortcuts:
    """Reads ahead of the long way what is proven to give the same rows.

    ``patience``: events to read the long way before the next try. ``limit``: bytes of one event; a longer one goes the
    long way.
    """

    def __init__(self, sink: Sink, limit: int) -> None:
        self.mould: Mould | None = None
        self.patience = 1
        self._wait, self._pause = 0, 1  # events read the long way until the next learning, and between two
        self._sink = sink
        self._limit = limit

    def run(self, buffer: bytes, at: int, last: int) -> int:
        """Decode the events of ``buffer[at:last]`` that fit; where the first one starts that does not."""
        mould = self.mould
        if mould is None:
            return at
        before = mould.used
        at = mould.run(buffer, at, last, self._sink)
        self.patience = (
            1 if mould.used - before >= _PAID else min(self.patience * 2 + 1, _MOST)
        )  # odd, for what takes turns
        return at

    def learn(self, sample: Sample) -> None:
        """The last event, read the long way, may be like those that come: do they fit one mould?"""
        self._wait -= self.patience
        mould = self.mould
        if self._wait > 0 or (mould is not None and mould.fits(sample.block)):
            return
        paid = mould is not None and mould.used >= _PAID
        self._pause = 1 if paid else min(self._pause * 2, _LONGEST)
        self._wait = self._pause
        self.mould = learn(sample, self._sink, mould, self._limit) or mould
