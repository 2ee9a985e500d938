"""What one hop answered to one question asked in several ways, and what is said of a setting. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.capture.model import Capture
from harness.diagnose.thresholds import HOLD_END_MS
from harness.phrase import phrase
from harness.timeline.metrics import Metrics, measure
from harness.timeline.outcome import outcome
from harness.wire.decode import decode
from harness.wire.stream import Stream

LUMP_EVENTS, LUMP_READS = 5, 2  # so many events in so few reads are no stream


@dataclass(frozen=True, slots=True)
class Kept:
    """Chats over one connection that is kept. ``same``: whether each went over the first one's connection.

    It rested ``rested`` seconds before the last; ``closed_s``: when in them the server closed it, if it did."""

    captures: tuple[Capture, ...] = ()
    same: tuple[bool, ...] = ()
    rested: float = 0.0
    closed_s: float | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What one hop answered to the same question asked in several ways; None: not asked. ``probes``: by name, the
    status of a plain request (``get``: GET on the chat's address; ``health``; ``text-plain``), None if none came.
    ``http2``: over HTTP/2, offered under TLS and spoken at once without."""

    first: Capture
    second: Capture
    gzip: Capture | None = None
    two: Capture | None = None
    padded: Capture | None = None
    any_type: Capture | None = None
    kept: Kept = Kept()
    http2: Capture | None = None
    probes: Mapping[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setting:
    """``state``: good, info, warning, error, unknown. ``symptom``: what users see of it."""

    name: str
    state: str
    words: str
    symptom: str = "headers"
    evidence: Mapping[str, Any] = field(default_factory=dict)
    fix: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Answer:
    """A capture with what is asked of it again and again."""

    capture: Capture
    stream: Stream
    figures: Metrics

    @classmethod
    def of(cls, capture: Capture) -> Answer:
        stream = decode(capture)
        return cls(capture, stream, measure(stream))

    @property
    def status(self) -> int:
        return self.capture.head.status if self.capture.head else 0

    def header(self, name: str) -> str:
        return self.capture.head.get(name) if self.capture.head else ""

    @property
    def streams(self) -> bool:
        return self.stream.framing in ("sse", "ndjson") and bool(self.stream.content())

    @property
    def lumped(self) -> bool:
        """At least five events, in one or two reads, of an answer that took its time."""
        few = self.figures.content_events >= LUMP_EVENTS and len(set(self.stream.reads)) <= LUMP_READS
        return few and not self.quick

    @property
    def quick(self) -> bool:
        """Whether it was over before one could tell a stream from a lump."""
        return (self.figures.e2e_ms or 0.0) < HOLD_END_MS

    @property
    def lumps(self) -> float:
        """Events a read, where that tells anything; else 0."""
        return 0.0 if self.quick else self.figures.coalescing or 0.0

    @property
    def flow(self) -> str:
        return phrase(
            "{events} events in {reads} reads", events=self.figures.content_events, reads=len(set(self.stream.reads))
        )

    @property
    def outcome(self) -> str:
        return outcome(self.stream)

    @property
    def ids(self) -> list[str]:
        return [row.id for row in self.stream.identities if row.id]
