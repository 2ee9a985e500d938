"""Who keeps what an exchange shows: the protocol, a recorder in memory, and one that forgets.

All ``t_ns`` are ``time.perf_counter_ns`` of this host; a tap's ``t = 0`` is the ``t_ns`` given to ``on_begin`` (read:
the request was sent; write: the browser's request was received). Calls come from the event loop, one at a time, and
must not block. The read tap's bytes are kept once; the write tap says only how far they were handed on.
"""

from __future__ import annotations

from array import array
from typing import Protocol

from harness.capture.model import Capture, Clock, End, Head, Headers, Request


class Recorder(Protocol):
    """``tap`` is ``read`` or ``write``. ``on_end`` comes once a tap, last; a read tap may end without begin or head."""

    def on_begin(self, tap: str, t_ns: int, at: str, request: Request) -> None:
        """The tap's side began: ``at`` is the wall time (ISO 8601, UTC); the request is already masked."""

    def on_head(self, tap: str, t_ns: int, status: int, http: str, headers: Headers) -> None:
        """Status line and headers, lower-case and masked."""

    def on_read(self, t_ns: int, data: bytes) -> None:
        """Body bytes of one socket read, after transfer decoding."""

    def on_write(self, t_ns: int, upto: int) -> None:
        """The body up to this byte was handed to the server."""

    def on_end(self, tap: str, t_ns: int, kind: str, detail: str) -> None:
        """How the tap ended: ``kind`` is one of ``harness.capture.model.ENDS``."""


class NullRecorder:
    """Keeps nothing."""

    def on_begin(self, tap: str, t_ns: int, at: str, request: Request) -> None:
        pass

    def on_head(self, tap: str, t_ns: int, status: int, http: str, headers: Headers) -> None:
        pass

    def on_read(self, t_ns: int, data: bytes) -> None:
        pass

    def on_write(self, t_ns: int, upto: int) -> None:
        pass

    def on_end(self, tap: str, t_ns: int, kind: str, detail: str) -> None:
        pass


class MemoryRecorder:
    """Keeps both taps in memory; :meth:`capture` gives what one tap has seen so far.

    ``template``: who is asked; ``write``: hop and kind of the write tap.
    """

    def __init__(self, template: Capture, clock: Clock, write: tuple[str, str] = ("app", "app")) -> None:
        self.template = template
        self.write = write
        self.clock = clock
        self.body = bytearray()
        self.began: dict[str, tuple[int, str, Request]] = {}
        self.heads: dict[str, Head] = {}
        self.last: dict[str, End] = {}
        self.times = {"read": array("d"), "write": array("d")}
        self.ends = {"read": array("Q"), "write": array("Q")}

    def _ms(self, tap: str, t_ns: int) -> float:
        origin = self.began[tap][0] if tap in self.began else t_ns
        return max(0.0, (t_ns - origin) / 1e6)

    def on_begin(self, tap: str, t_ns: int, at: str, request: Request) -> None:
        self.began[tap] = (t_ns, at, request)

    def on_head(self, tap: str, t_ns: int, status: int, http: str, headers: Headers) -> None:
        self.heads[tap] = Head(self._ms(tap, t_ns), status, http, headers)

    def on_read(self, t_ns: int, data: bytes) -> None:
        self.body += data
        self.times["read"].append(self._ms("read", t_ns))
        self.ends["read"].append(len(self.body))

    def on_write(self, t_ns: int, upto: int) -> None:
        self.times["write"].append(self._ms("write", t_ns))
        self.ends["write"].append(upto)

    def on_end(self, tap: str, t_ns: int, kind: str, detail: str) -> None:
        self.last[tap] = End(self._ms(tap, t_ns), kind, detail)

    def capture(self, tap: str = "read") -> Capture:
        """The tap's capture so far; without an end yet, the end is missing."""
        began, base = self.began.get(tap), self.template
        return Capture(
            hop=base.hop if tap == "read" else self.write[0],
            kind=base.kind if tap == "read" else self.write[1],
            tap=tap,
            wire=base.wire,
            exchange=base.exchange,
            route=base.route,
            repeat=base.repeat,
            request=began[2] if began else base.request,
            sent_at=began[1] if began else "",
            clock=self.clock,
            meta=dict(base.meta),
            head=self.heads.get(tap),
            body=bytes(self.body) if tap == "read" else None,
            times=array("d", self.times[tap]),
            ends=array("Q", self.ends[tap]),
            end=self.last.get(tap),
        )
