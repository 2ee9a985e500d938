"""The stamp session: typed commands in, answers out, stamps into the browser's side. No socket, no clock of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chat.frames import BadFrame, Begin, ClockIs, Command, Ended, Hello, Stamps, Sync
from harness.capture.model import Clock, End
from harness.runs.browser import BrowserSide, Illegal

Frame = dict[str, Any]
MOST_EXCHANGES = 100  # that one line may speak about


class Session:
    """One line's conversation. ``side_of`` gives an exchange's browser side; ``name`` is the browser's clock id."""

    def __init__(self, side_of: Callable[[str], BrowserSide], name: str) -> None:
        self.side_of = side_of
        self.name = name
        self.sides: dict[str, BrowserSide] = {}

    def handle(self, command: Command, now_ms: float) -> list[Frame]:
        """What to answer; ``now_ms`` is the server's epoch time at which the frame came. An illegal stamp changes
        nothing and is answered by an error frame."""
        if isinstance(command, Sync):
            return [{"type": "sync", "t0": command.t0, "t1": now_ms}]
        try:
            self._tell(command, self._side(command.exchange))
        except (Illegal, BadFrame) as error:
            return [error_frame(error.code, error.what, command.exchange)]
        return []

    def _side(self, exchange: str) -> BrowserSide:
        if exchange not in self.sides:
            if len(self.sides) >= MOST_EXCHANGES:
                raise BadFrame("too-many", f"one line speaks about at most {MOST_EXCHANGES} exchanges")
            self.sides[exchange] = self.side_of(exchange)
        return self.sides[exchange]

    def _tell(self, command: Hello | ClockIs | Begin | Stamps | Ended, side: BrowserSide) -> None:
        match command:
            case Begin(sent_at_ms=sent_at_ms):
                side.begin(sent_at_ms)
            case ClockIs():
                side.set_clock(clock_of(command, self.name))
            case Stamps(tap=tap, rows=rows):
                side.rows(tap, rows)
            case Ended(tap=tap, t=t, end=end, detail=detail):
                side.end(tap, End(t, end, detail))


def clock_of(command: ClockIs, name: str) -> Clock:
    """The browser's clock; adding ``offset_ms`` to its times gives the server's."""
    return Clock(
        id=name,
        source="performance.timeOrigin+now",
        resolution_ms=command.resolution_ms,
        offset_ms=command.offset_ms,
        uncertainty_ms=command.uncertainty_ms,
        extra={"isolated": command.isolated},
    )


def error_frame(code: str, what: str, exchange: str = "") -> Frame:
    """What a line is told about a frame that cannot be used; ``code`` is stable."""
    return {"type": "error", "code": code, "what": what} | ({"exchange": exchange} if exchange else {})
