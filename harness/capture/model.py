"""The capture: what one tap saw of one exchange, as stamped bytes.

Columnar: ``body`` holds the bytes once; read ``i`` came at ``times[i]`` and brought the body up to byte
``ends[i]``. A tap that shares another tap's bytes (write, arrive, paint) has ``body`` None until
:meth:`Capture.with_body` lends it the bytes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

KINDS = ("engine", "gateway", "app", "proxy", "network-path", "browser", "client")
TAPS = ("emit", "read", "write", "arrive", "paint")
WIRES = ("openai", "fastgpt", "ollama", "responses", "anthropic", "other")
ENDS = ("complete", "truncated", "reset", "timeout", "aborted", "open")

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked. ``headers`` lower-case and masked; ``body`` parsed JSON (or text), None when unknown."""

    method: str = "POST"
    url: str = ""
    headers: Headers = ()
    body: Any = None
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Head:
    """Status line and headers of the response; ``t`` ms since this tap's side began."""

    t: float
    status: int
    http: str = ""
    headers: Headers = ()
    extra: dict[str, Any] = field(default_factory=dict)

    def get(self, name: str, default: str = "") -> str:
        """The first header of that (lower-case) name."""
        return next((value for key, value in self.headers if key == name), default)


@dataclass(frozen=True, slots=True)
class End:
    """How the exchange ended at this tap: ``kind`` is one of :data:`ENDS`; ``t`` ms."""

    t: float
    kind: str
    detail: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock that stamped a capture. Same ``id`` means offset 0; ``uncertainty_ms`` bounds ``offset_ms``."""

    id: str = ""
    source: str = ""
    resolution_ms: float = 0.0
    offset_ms: float = 0.0
    uncertainty_ms: float = 0.0
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Capture:
    """One tap's record of one exchange.

    ``times``: array('d'), ms since the side began, one a read. ``ends``: array('Q'), body length after that
    read. ``body``: bytes after transfer decoding and before content decoding (unless ``content_decoded``), or
    None for a tap whose bytes are another's. ``wire`` "" means: tell by content.
    """

    hop: str
    kind: str = "client"
    tap: str = "read"
    wire: str = ""
    exchange: str = ""
    route: str = ""
    repeat: int | None = None
    request: Request | None = None
    sent_at: str = ""
    clock: Clock | None = None
    content_decoded: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    head: Head | None = None
    body: bytes | None = b""
    times: array[float] = field(default_factory=lambda: array("d"))
    ends: array[int] = field(default_factory=lambda: array("Q"))
    end: End | None = None
    read_extra: dict[int, dict[str, Any]] = field(default_factory=dict)  # read index → its unknown keys

    def reads(self) -> Iterator[tuple[float, bytes]]:
        """Each read as (ms, bytes); the bytes are empty where the body is not known."""
        start, body = 0, self.body or b""
        for t, stop in zip(self.times, self.ends, strict=True):
            yield t, body[start:stop]
            start = max(start, stop)

    def read_of(self, offset: int) -> int:
        """Index of the read that delivered the byte at ``offset``; ``len(times)`` if none did."""
        return bisect_left(self.ends, offset + 1)

    def with_body(self, body: bytes) -> Capture:
        """This tap's stamps over another tap's bytes, cut to what this tap saw."""
        return replace(self, body=body[: self.ends[-1] if self.ends else 0])


def kind_of(hop: str) -> str:
    """The kind that a hop's name tells (``proxy-2`` is a proxy), else ``client``."""
    stem, _, number = hop.rpartition("-")
    for name in (hop, stem if number.isdigit() else ""):
        if name in KINDS:
            return name
    return "client"


def stamped(reads: Iterable[tuple[float, bytes]]) -> tuple[bytes, array[float], array[int]]:
    """Turn (ms, bytes) reads into the columns of a capture: body, times, ends."""
    parts: list[bytes] = []
    times, ends, size = array("d"), array("Q"), 0
    for t, data in reads:
        parts.append(data)
        size += len(data)
        times.append(t)
        ends.append(size)
    return b"".join(parts), times, ends
