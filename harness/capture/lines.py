"""The lines of a capture file, one after another, into a Capture."""

from __future__ import annotations

import base64
import binascii
from array import array
from dataclasses import replace
from typing import Any

import orjson

from harness.capture.fields import (
    MOST_MS,
    Object,
    Place,
    headers,
    integer,
    mapping,
    moment,
    number,
    parse_line,
    rest,
    shown,
    stamp,
    text,
)
from harness.capture.model import ENDS, KINDS, TAPS, WIRES, Capture, Clock, End, Head, Request, kind_of

VERSION = 1
MOST_OFFSET_MS = 1e13  # three centuries: a device may believe that it is 1970
_MARKS = ("status", "data", "b64", "upto", "end")
_OPENING = ("capture", "hop", "kind", "tap", "wire", "exchange", "route", "repeat", "request", "sent_at", "clock")


class Lines:
    """Takes one line at a time (:meth:`feed`) and gives the capture at the end (:meth:`close`).

    Raises CaptureError at the first line that is not what the format allows. Time that runs backwards is kept:
    a clock may have been set while it recorded, and the diagnosis says so. Memory: the body once, 16 bytes a read.
    """

    def __init__(self, name: str = "") -> None:
        self.place = Place(name)
        self.opening: Capture | None = None
        self.head: Head | None = None
        self.end: End | None = None
        self.body = bytearray()
        self.times, self.ends = array("d"), array("Q")
        self.extras: dict[int, Object] = {}
        self.reached = 0  # the last "upto" amid reads
        self.held: bool | None = None  # whether this file holds the bytes itself; None before the first read

    def feed(self, line: bytes) -> None:
        if self.held and self._plain(line):
            self.place.line += 1
            return
        if line.strip():
            self.take(parse_line(self.place, line))
        self.place.line += 1

    def _plain(self, line: bytes) -> bool:
        """The quick way for what nearly every line is, ``{"t": 1.5, "data": "…"}``, once there was such a line."""
        try:
            obj = orjson.loads(line)
            t, content = obj["t"], obj["data"]
        except (ValueError, KeyError, TypeError):
            return False
        if len(obj) != 2 or type(t) is not float or type(content) is not str or self.end is not None:
            return False
        if not 0.0 <= t <= MOST_MS:  # NaN too
            return False
        self.body += content.encode()
        self.times.append(t)
        self.ends.append(len(self.body))
        return True

    def take(self, obj: Object) -> None:
        """One line that is parsed already."""
        if self.opening is None:
            self.opening = opening(self.place, obj)
        else:
            self._record(obj)

    def close(self) -> Capture:
        if self.opening is None:
            self.place.line = 1
            self.place.fail('the file is empty: expected {"capture": 1, "hop": …} in its first line')
        return replace(
            self.opening,
            head=self.head,
            body=None if self.held is False else bytes(self.body),
            times=self.times,
            ends=self.ends,
            end=self.end,
            read_extra=self.extras,
        )

    def _record(self, obj: Object) -> None:
        marks = [mark for mark in _MARKS if mark in obj]
        place = self.place
        if len(marks) != 1:
            if "capture" in obj and "hop" in obj:
                place.fail("a second capture opens here: expected one a file", "Split the file before this line")
            found = " and ".join(f'"{mark}"' for mark in marks) or "none of them"
            place.fail(f'expected exactly one of "status", "data", "b64", "upto" and "end", found {found}')
        mark, t = marks[0], stamp(place, obj)
        if self.end is not None:
            place.fail('expected nothing after the line with "end"')
        if mark == "status":
            if self.head is not None or self.times:
                place.fail('expected "status" once, before the first read')
            self.head = _head(place, obj, t)
        elif mark == "end":
            detail = text(place, obj, "detail")
            self.end = End(t, text(place, obj, "end", among=ENDS), detail, rest(obj, "t", "end", "detail"))
        elif mark == "upto":
            self._stamp(obj, t)
        else:
            self._read(obj, t, mark)

    def _read(self, obj: Object, t: float, mark: str) -> None:
        if self.held is False:
            self.place.fail(f'expected no "{mark}" after lines that only stamp ("upto"): their bytes are elsewhere')
        self.held = True
        content = text(self.place, obj, mark)
        try:
            self.body += content.encode() if mark == "data" else base64.b64decode(content, validate=True)
        except UnicodeEncodeError:
            self.place.fail('expected "data" to be text, found half a surrogate pair', 'Such bytes belong in "b64"')
        except (binascii.Error, ValueError):
            self.place.fail(f'expected "b64" to be base64, found {shown(content)}')
        self._column(obj, t, len(self.body), mark)

    def _stamp(self, obj: Object, t: float) -> None:
        upto = integer(self.place, obj, "upto", least=0)
        last = self.ends[-1] if self.ends else 0
        if self.held:
            if upto > len(self.body):
                self.place.fail(f'expected "upto" to be at most {len(self.body)}, the bytes read so far, found {upto}')
            if upto < self.reached:
                self.place.fail(f'expected "upto" to be at least {self.reached}, as in the stamp before, found {upto}')
            self.reached = upto
            # A stamp amid reads brings nothing new: an empty read that remembers its offset.
            self._column(obj, t, last, "")
            return
        self.held = False
        if upto < last or upto >= 2**63:
            self.place.fail(f'expected "upto" to be at least {last}, as in the line before, found {shown(upto)}')
        self._column(obj, t, upto, "upto")

    def _column(self, obj: Object, t: float, end: int, mark: str) -> None:
        if len(obj) > 2 or not mark:
            self.extras[len(self.times)] = rest(obj, "t", mark)
        self.times.append(t)
        self.ends.append(end)


def opening(place: Place, obj: Object) -> Capture:
    """The first line as a capture without reads."""
    if "capture" not in obj:
        place.fail('not a capture file: expected {"capture": 1, "hop": …} in its first line')
    if type(obj["capture"]) is not int or obj["capture"] != VERSION:
        place.fail(f'expected "capture": {VERSION}, the only version known here, found {shown(obj["capture"])}')
    hop = text(place, obj, "hop")
    if not hop:
        place.fail('expected "hop" to be the name of a hop, found none')
    decoded: Any = obj.get("content_decoded", False)
    if not isinstance(decoded, bool):
        place.fail(f'expected "content_decoded" to be true or false, found {shown(decoded)}')
    return Capture(
        hop=hop,
        kind=text(place, obj, "kind", kind_of(hop), KINDS),
        tap=text(place, obj, "tap", "read", TAPS),
        wire=text(place, obj, "wire", "", WIRES),
        exchange=text(place, obj, "exchange"),
        route=text(place, obj, "route"),
        repeat=integer(place, obj, "repeat", least=0) if "repeat" in obj else None,
        request=_request(place, mapping(place, obj, "request")) if "request" in obj else None,
        sent_at=moment(place, obj, "sent_at"),
        clock=_clock(place, mapping(place, obj, "clock")) if "clock" in obj else None,
        content_decoded=decoded,
        meta=mapping(place, obj, "meta"),
        extra=rest(obj, *_OPENING, "content_decoded", "meta"),
    )


def _request(place: Place, obj: Object) -> Request:
    extra = rest(obj, "method", "url", "headers", "body")
    return Request(
        text(place, obj, "method", "POST"), text(place, obj, "url"), headers(place, obj), obj.get("body"), extra
    )


def _clock(place: Place, obj: Object) -> Clock:
    figures = ("resolution_ms", "offset_ms", "uncertainty_ms")
    resolution, offset, uncertainty = (number(place, obj, key, 0.0) for key in figures)
    for key in ("resolution_ms", "uncertainty_ms"):
        if obj.get(key, 0) < 0:
            place.fail(f'expected "{key}" to be a number from 0 up, found {shown(obj[key])}')
    if abs(offset) > MOST_OFFSET_MS:
        place.fail(f'expected "offset_ms" to be at most 1e13 (three centuries), found {shown(obj["offset_ms"])}')
    extra = rest(obj, "id", "source", *figures)
    return Clock(text(place, obj, "id"), text(place, obj, "source"), resolution, offset, uncertainty, extra)


def _head(place: Place, obj: Object, t: float) -> Head:
    extra = rest(obj, "t", "status", "http", "headers")
    status = integer(place, obj, "status")
    if not 100 <= status <= 999:
        place.fail(f'expected "status" to be an HTTP status from 100 to 999, found {status}')
    return Head(t, status, text(place, obj, "http"), headers(place, obj), extra)
