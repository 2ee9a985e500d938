"""The stamp frames: JSON objects from the browser as typed commands. Pure.

Frames (times on the browser's clock; ``t`` ms since it sent the request)::

    {"type": "hello", "exchange"}                               who speaks
    {"type": "sync", "t0"}                                      answered {"type": "sync", "t0", "t1", "t2"}
    {"type": "clock", "exchange", "offset_ms", "uncertainty_ms", "resolution_ms", "isolated"}
    {"type": "begin", "exchange", "sent_at_ms"}                 epoch ms
    {"type": "stamps", "exchange", "tap", "rows": [[t, upto], …]}
    {"type": "end", "exchange", "tap", "t", "end", "detail"}
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from harness.capture.fields import MOST_MS
from harness.capture.model import ENDS

TAPS = ("arrive", "paint")
MOST_ROWS = 20_000  # in one frame
MOST_BYTES = 1024 * 1024  # of one frame
EXCHANGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class BadFrame(Exception):
    """A frame that cannot be used. ``code``: not-json, bad-frame, unknown-type, too-large."""

    def __init__(self, code: str, what: str) -> None:
        self.code, self.what = code, what
        super().__init__(what)


@dataclass(frozen=True, slots=True)
class Hello:
    exchange: str


@dataclass(frozen=True, slots=True)
class Sync:
    t0: float


@dataclass(frozen=True, slots=True)
class ClockIs:
    """``offset_ms``: the server's clock minus the browser's."""

    exchange: str
    offset_ms: float
    uncertainty_ms: float
    resolution_ms: float
    isolated: bool


@dataclass(frozen=True, slots=True)
class Begin:
    exchange: str
    sent_at_ms: float


@dataclass(frozen=True, slots=True)
class Stamps:
    exchange: str
    tap: str
    rows: list[tuple[float, int]]


@dataclass(frozen=True, slots=True)
class Ended:
    exchange: str
    tap: str
    t: float
    end: str
    detail: str


Command = Hello | Sync | ClockIs | Begin | Stamps | Ended


def parse(text: str | bytes) -> Command:
    """One frame. Raises BadFrame."""
    if len(text) > MOST_BYTES:
        raise BadFrame("too-large", f"a frame has more than {MOST_BYTES} bytes")
    try:
        frame = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BadFrame("not-json", f"the frame is not JSON: {error}") from None
    return command(frame)


def command(frame: Any, exchange: str = "") -> Command:
    """A frame that is parsed already; one that names no exchange is about ``exchange``. Raises BadFrame."""
    if not isinstance(frame, dict):
        raise BadFrame("bad-frame", "the frame is not a JSON object")
    kind = frame.get("type")
    make = _MAKERS.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise BadFrame("unknown-type", f"no frame has the type {str(kind)[:40]}")
    return make({"exchange": exchange, **frame})


def _number(frame: dict[str, Any], key: str, least: float = -math.inf) -> float:
    value = frame.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < least:
        raise BadFrame("bad-frame", f"{frame['type']}: {key} is no number that it may be")
    return float(value)


def _time(frame: dict[str, Any]) -> float:
    """``t`` as a capture may hold it; main thread and Worker may differ by a hair, so none is before the request."""
    value = _number(frame, "t")
    if value > MOST_MS:
        raise BadFrame("bad-frame", f"{frame['type']}: t is no time since the request")
    return max(value, 0.0)


def _exchange(frame: dict[str, Any]) -> str:
    value = frame.get("exchange")
    if not isinstance(value, str) or not EXCHANGE.fullmatch(value):
        raise BadFrame("bad-frame", f"{frame['type']}: exchange is no exchange id")
    return value


def _among(frame: dict[str, Any], key: str, choices: tuple[str, ...]) -> str:
    value = frame.get(key)
    if value not in choices:
        raise BadFrame("bad-frame", f"{frame['type']}: {key} is none of {', '.join(choices)}")
    return str(value)


def _sent_at(frame: dict[str, Any]) -> float:
    value = _number(frame, "sent_at_ms", 0)
    if value > 4e12:  # the year 2096
        raise BadFrame("bad-frame", "begin: sent_at_ms is no time of day in milliseconds")
    return value


def _rows(frame: dict[str, Any]) -> list[tuple[float, int]]:
    rows = frame.get("rows")
    if not isinstance(rows, list) or len(rows) > MOST_ROWS:
        raise BadFrame("bad-frame", f"stamps: rows is no list of at most {MOST_ROWS} pairs")
    return [_row(row) for row in rows]


def _row(row: Any) -> tuple[float, int]:
    match row:
        case [int() | float() as t, int() as upto] if not isinstance(t, bool) and not isinstance(upto, bool):
            if math.isfinite(t) and t <= MOST_MS and 0 <= upto < 2**53:
                return max(float(t), 0.0), upto
    raise BadFrame("bad-frame", "stamps: a row is no pair of milliseconds and body offset")


_MAKERS: dict[str, Callable[[dict[str, Any]], Command]] = {
    "hello": lambda f: Hello(_exchange(f)),
    "sync": lambda f: Sync(_number(f, "t0")),
    "clock": lambda f: ClockIs(
        _exchange(f),
        _number(f, "offset_ms"),
        _number(f, "uncertainty_ms", 0),
        _number(f, "resolution_ms", 0),
        f.get("isolated") is True,
    ),
    "begin": lambda f: Begin(_exchange(f), _sent_at(f)),
    "stamps": lambda f: Stamps(_exchange(f), _among(f, "tap", TAPS), _rows(f)),
    "end": lambda f: Ended(
        _exchange(f), _among(f, "tap", TAPS), _time(f), _among(f, "end", ENDS), str(f.get("detail") or "")[:200]
    ),
}
