"""What a browser tells about one exchange: when bytes arrived and when they were painted, on its own clock."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from harness.capture.model import Capture, Clock, End
from harness.runs.epoch import iso
from harness.runs.recorder import NUMBERS
from harness.runs.spool import Spool

FRONT = ("network-path", "network-path")
"""What the browser hears from when no proxy is declared."""
MOST = 1_000_000  # stamps of one tap that are kept


class Illegal(Exception):
    """A stamp that cannot be; it changes nothing. ``code`` is stable."""

    def __init__(self, code: str, what: str) -> None:
        self.code, self.what = code, what
        super().__init__(what)


@dataclass(slots=True)
class Lane:
    """One browser tap's stamps: ms since the browser sent the request, and the (decoded) body offset."""

    times: array[float] = field(default_factory=lambda: array("d"))
    ends: array[int] = field(default_factory=lambda: array("Q"))
    end: End | None = None

    def open(self) -> End:
        """The end of a lane that nobody ended."""
        return End(self.times[-1] if self.times else 0.0, "open", "interrupted")


class BrowserSide:
    """Collects one exchange's browser stamps; once :meth:`join` gave it a spool, that gets them too."""

    def __init__(self, exchange: str) -> None:
        self.exchange = exchange
        self.sent_at = ""
        self.clock: Clock | None = None
        self.lanes = {"arrive": Lane(), "paint": Lane()}
        self.route = self.wire = ""
        self.front, self.front_kind = FRONT
        self._spool: Spool | None = None

    @property
    def arrived(self) -> bool:
        """Whether the browser has received all that it ever will."""
        return self.lanes["arrive"].end is not None

    @property
    def ended(self) -> bool:
        return all(lane.end for lane in self.lanes.values())

    def place(self, route: str, wire: str, front: Sequence[str] | None) -> None:
        """What the relay knows: ``front`` is name and kind of the hop whose output arrives in the browser."""
        self.route, self.wire = route, wire
        self.front, self.front_kind = front or FRONT

    def join(self, spool: Spool) -> None:
        """The relay's side is there, with its spool."""
        self._spool = spool
        for tap, lane in self.lanes.items():
            if lane.times or lane.end:
                spool.open(NUMBERS[tap], self._opening(tap))
            for t, upto in zip(lane.times, lane.ends, strict=True):
                spool.upto(NUMBERS[tap], t, upto)
            if lane.end:
                spool.end(NUMBERS[tap], lane.end)

    def begin(self, sent_at_ms: float) -> None:
        """The browser sent the request, at this epoch millisecond of its own clock."""
        if self.sent_at:
            raise Illegal("begun", "the exchange has begun already")
        self.sent_at = iso(sent_at_ms)

    def set_clock(self, clock: Clock) -> None:
        self.clock = clock
        for tap, lane in self.lanes.items():
            if self._spool is not None and lane.times:
                self._spool.open(NUMBERS[tap], self._opening(tap))

    def rows(self, tap: str, rows: Sequence[tuple[float, int]]) -> None:
        """Stamps in their order. Illegal after the tap's end, where the offset falls, and beyond :data:`MOST`."""
        lane = self.lanes[tap]
        if lane.end is not None:
            raise Illegal("after-end", f"{tap} has ended")
        if len(lane.times) + len(rows) > MOST:
            raise Illegal("too-many", f"more than {MOST} stamps of {tap}")
        last = lane.ends[-1] if lane.ends else 0
        for _, upto in rows:
            if upto < last:
                raise Illegal("offset-falls", f"{tap} was at byte {last}, and now at {upto}")
            last = upto
        if self._spool is not None and rows and not lane.times:
            self._spool.open(NUMBERS[tap], self._opening(tap))
        for t, upto in rows:
            lane.times.append(t)
            lane.ends.append(upto)
            if self._spool is not None:
                self._spool.upto(NUMBERS[tap], t, upto)

    def end(self, tap: str, end: End) -> None:
        lane = self.lanes[tap]
        if lane.end is not None:
            raise Illegal("after-end", f"{tap} has ended")
        lane.end = end
        if self._spool is not None:
            self._spool.end(NUMBERS[tap], end)

    def captures(self) -> list[Capture]:
        """Arrive, then paint; bytes are the relay's (body None). A tap that stamped nothing, as a hidden tab's
        paint, is left out; one without an end is open, as of a recorder that died."""
        return [
            replace(self._opening(tap), body=None, times=lane.times[:], ends=lane.ends[:], end=lane.end or lane.open())
            for tap, lane in self.lanes.items()
            if lane.times
        ]

    @classmethod
    def resumed(cls, exchange: str, stored: Iterable[Capture]) -> BrowserSide:
        """What an earlier line of this browser had told when it broke, to be gone on with."""
        side = cls(exchange)
        for capture in stored:
            lane = side.lanes.get(capture.tap)
            if lane is not None:
                lane.times, lane.ends = capture.times[:], capture.ends[:]
                lane.end = None if capture.end == lane.open() else capture.end
                side.sent_at, side.clock = capture.sent_at, capture.clock
        return side

    def _opening(self, tap: str) -> Capture:
        arrive = tap == "arrive"
        return Capture(
            hop=self.front if arrive else "browser",
            kind=self.front_kind if arrive else "browser",
            tap=tap,
            wire=self.wire,
            exchange=self.exchange,
            route=self.route,
            sent_at=self.sent_at,
            clock=self.clock,
            content_decoded=True,
        )
