"""The records of a spool file: bytes that can be cut anywhere and still be read up to there. Pure.

A file is a magic line and records; a record is kind, tap, time (ms since that tap's side began), size, payload,
little-endian. ``RUN``, ``OPEN``, ``HEAD`` and ``END`` carry JSON (the lines of a capture file; a later ``OPEN``
of a tap replaces the one before), ``DATA`` raw bytes, ``UPTO`` a body offset as uint64.
"""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from harness.capture.model import Capture
from harness.runs.rows import Frame, Row, capture_of

MAGIC = b"streamscope spool 1\n"
_HEADER = struct.Struct("<BBdI")
_OFFSET = struct.Struct("<Q")


class Mark(IntEnum):
    RUN = 0
    OPEN = 1
    HEAD = 2
    DATA = 3
    UPTO = 4
    END = 5


Record = tuple[Mark, int, float, Any]
"""(kind, tap, ms, payload): a row for the JSON kinds, bytes for DATA, an int for UPTO."""


def encode(record: Record) -> bytes:
    mark, tap, t, content = record
    if mark is Mark.DATA:
        payload: bytes = content
    elif mark is Mark.UPTO:
        payload = _OFFSET.pack(content)
    else:
        payload = json.dumps(content, allow_nan=False).encode()
    return _HEADER.pack(mark, tap, t, len(payload)) + payload


def decode(data: bytes) -> Iterator[Record]:
    """The whole records of a file, up to the first that is torn or makes no sense."""
    at = len(MAGIC)
    if not data.startswith(MAGIC):
        return
    while at + _HEADER.size <= len(data):
        mark, tap, t, size = _HEADER.unpack_from(data, at)
        at += _HEADER.size
        payload = data[at : at + size]
        at += size
        try:
            kind = Mark(mark)
            if len(payload) < size:
                return
            yield kind, tap, t, _content(kind, payload)
        except (ValueError, struct.error):
            return


def _content(mark: Mark, payload: bytes) -> Any:
    if mark is Mark.DATA:
        return payload
    if mark is Mark.UPTO:
        return _OFFSET.unpack(payload)[0]
    return json.loads(payload)


@dataclass(slots=True)
class _Tap:
    opening: Row = field(default_factory=dict)
    head: Row | None = None
    end: Row | None = None
    times: array[float] = field(default_factory=lambda: array("d"))
    ends: array[int] = field(default_factory=lambda: array("Q"))
    body: bytearray = field(default_factory=bytearray)
    stamps_only: bool = False

    def take(self, mark: Mark, t: float, content: Any) -> None:
        if mark is Mark.OPEN:
            self.opening = content
        elif mark is Mark.HEAD:
            self.head = content
        elif mark is Mark.END:
            self.end = content
        else:
            self.stamps_only = mark is Mark.UPTO
            if mark is Mark.DATA:
                self.body += content
            self.times.append(t)
            self.ends.append(content if self.stamps_only else len(self.body))

    def capture(self) -> Capture:
        # A tap without an end was recorded by somebody who died, or is still at it: the connection counts as open.
        last = self.times[-1] if self.times else float(self.head["t"]) if self.head else 0.0
        end = self.end or {"t": last, "end": "open", "detail": "interrupted"}
        body = None if self.stamps_only else bytes(self.body)
        return capture_of(Frame(self.opening, self.head, end), self.times, self.ends, body)


@dataclass(frozen=True, slots=True)
class Spooled:
    """What a spool file tells: ``run`` (id, kind, route, started) and the captures by tap number."""

    run: Row
    captures: list[Capture]
    ended: frozenset[int]


def gather(records: Iterator[Record]) -> Spooled:
    """Records as captures, in the order of their tap numbers; a tap without an opening is left out.

    Raises CaptureError when an opening is none.
    """
    run: Row = {}
    taps: dict[int, _Tap] = {}
    for mark, tap, t, content in records:
        if mark is Mark.RUN:
            run = content
        else:
            taps.setdefault(tap, _Tap()).take(mark, t, content)
    opened = {number: tap for number, tap in sorted(taps.items()) if tap.opening}
    ended = frozenset(number for number, tap in opened.items() if tap.end is not None)
    return Spooled(run, [tap.capture() for tap in opened.values()], ended)
