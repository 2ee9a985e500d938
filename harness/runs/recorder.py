"""The relay's recorder: ``read`` and ``write`` of one exchange into its spool, an append each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter_ns

from harness.capture.model import Capture, End, Head, Headers, Request
from harness.probe.clock import host_clock
from harness.runs.epoch import epoch_ms, iso
from harness.runs.spool import Spool

READ, WRITE, ARRIVE, PAINT = range(4)
"""Tap numbers in a chat's spool: also the order of its captures, innermost first."""
NUMBERS = {"read": READ, "write": WRITE, "arrive": ARRIVE, "paint": PAINT}


class SpoolRecorder:
    """A :class:`harness.probe.recorder.Recorder`. ``writes`` are (epoch ms, body offset) for the live lane.

    :meth:`close` says that the server side is over, whatever became of it; the end of the write tap says so too.
    """

    def __init__(self, spool: Spool, read: Capture, write: Capture, closed: Callable[[], None]) -> None:
        """``read`` and ``write``: what is known of the two taps before they begin; ``closed`` is called once."""
        self.spool = spool
        self.writes: list[tuple[float, int]] = []
        self.closed = False
        self._taps = {"read": replace(read, clock=host_clock()), "write": replace(write, clock=host_clock())}
        self._origins: dict[str, int] = {}
        self._ended: set[str] = set()
        self._on_closed = closed
        self._opened_ns = perf_counter_ns()
        spool.open(READ, self._taps["read"])

    def on_begin(self, tap: str, t_ns: int, at: str, request: Request) -> None:
        # ``at`` is not used: all taps of a chat are told on the one base that the browser's clock is compared with.
        self._origins[tap] = t_ns
        self._taps[tap] = replace(self._taps[tap], sent_at=iso(epoch_ms(t_ns)), request=request)
        self.spool.open(NUMBERS[tap], self._taps[tap])

    def on_head(self, tap: str, t_ns: int, status: int, http: str, headers: Headers) -> None:
        self.spool.head(NUMBERS[tap], Head(self._ms(tap, t_ns), status, http, headers))

    def on_read(self, t_ns: int, data: bytes) -> None:
        self.spool.data(READ, self._ms("read", t_ns), data)

    def on_write(self, t_ns: int, upto: int) -> None:
        self.writes.append((epoch_ms(t_ns), upto))
        self.spool.upto(WRITE, self._ms("write", t_ns), upto)

    def on_end(self, tap: str, t_ns: int, kind: str, detail: str) -> None:
        if tap in self._ended:
            return
        self._ended.add(tap)
        self.spool.end(NUMBERS[tap], End(self._ms(tap, t_ns), kind, detail))
        if tap == "write":
            self.close()

    def close(self) -> None:
        """Idempotent. The relay calls it when it has nothing more to send, or has refused."""
        if not self.closed:
            self.closed = True
            self._on_closed()

    def _ms(self, tap: str, t_ns: int) -> float:
        return max(0.0, (t_ns - self._origins.get(tap, self._opened_ns)) / 1e6)
