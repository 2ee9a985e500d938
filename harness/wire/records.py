"""From bytes to records: newline-delimited JSON. Source: github.com/ndjson/ndjson-spec."""

from __future__ import annotations

from harness.wire.frames import Reader
from harness.wire.mould import Sample
from harness.wire.shortcuts import Shortcuts

_BOM = b"\xef\xbb\xbf"
_WHITE = b" \t\r"


class Records:
    """Gives a :class:`~harness.wire.frames.Reader` the records of a body. Blank lines are no records; white space
    around one is no part of it. ``short`` is asked first (None: there are no shortcuts)."""

    def __init__(self, body: bytes, reader: Reader, limit: int, short: Shortcuts | None) -> None:
        self._body, self._reader, self._limit, self._short = body, reader, limit, short

    def run(self) -> tuple[int, bytes | None]:
        """Read all lines that end. What is left of the last one, and where it starts; None: it is over the limit."""
        body, short = self._body, self._short
        at, last = 0, body.rfind(b"\n") + 1
        while at < last:
            for _ in range(short.patience if short else 1):
                begin, at = at, body.find(b"\n", at) + 1
                start, data = self._line(begin, at - 1)
                if data != b"":
                    self._reader.event(data, "", start, at)
                if at == last:
                    break
            if short:
                if data:
                    found = body.find(data, begin) - begin
                    short.learn(Sample(body[begin:at], found, found + len(data), "", b"\n"))
                at = short.run(body, at, last)
        return self._line(at, len(body))

    def _line(self, start: int, stop: int) -> tuple[int, bytes | None]:
        """Where a line starts (behind the BOM), and the record in it; None: it is over the limit."""
        if start == 0 and self._body.startswith(_BOM):
            start = 3
        return start, self._body[start:stop].strip(_WHITE) if stop - start <= self._limit else None
