"""The decoded stream of one capture, in columns: what every rule, metric and picture reads.

One row an event (an SSE event that the standard dispatches, or an NDJSON record). An event's time is the time
of the read that delivered its last byte. Text is kept once a channel; a piece says which part of a channel's
text an event carried.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

from harness.capture.model import Capture
from harness.wire.usages import Usages


class Kind(IntEnum):
    """What one event is for. A chunk that carries text and a finish is TEXT; the finish is a fact beside it."""

    ROLE = 0
    EMPTY = 1
    HEARTBEAT = 2
    TEXT = 3
    REASONING = 4
    TOOL = 5
    FINISH = 6
    USAGE = 7
    ERROR = 8
    TERMINATOR = 9
    UNKNOWN = 10


CONTENT = frozenset({Kind.TEXT, Kind.REASONING, Kind.TOOL})


class ChannelKey(NamedTuple):
    """Where a delta belongs: choice index, and ``content``, ``reasoning``, ``audio`` (base64) or ``tool:N`` (input)."""

    choice: int
    part: str


@dataclass(slots=True)
class Channel:
    """One channel's whole text, and the tool's name and id where it is a tool call's."""

    key: ChannelKey
    text: str = ""
    name: str = ""
    id: str = ""


class Finish(NamedTuple):
    event: int
    choice: int
    reason: str


class StreamError(NamedTuple):
    """An error that travels inside the stream."""

    event: int
    message: str
    code: str


class Identity(NamedTuple):
    """id, created, model and fingerprint from this event on, until the next row of the list."""

    event: int
    id: str
    created: int | None
    model: str
    fingerprint: str


class WireFault(NamedTuple):
    """Bytes that the format or the standard does not allow. ``offset`` counts bytes of the decoded body.

    Codes: ``json`` (not JSON), ``json-nan``, ``utf8`` (invalid bytes), ``surrogate`` (lone), ``replacement``
    (U+FFFD in text), ``tail`` (unterminated last event), ``line-limit``, ``coding`` (content coding broken),
    ``coding-header`` (the header says a coding that the bytes do not have), ``bomb`` (decompression bound),
    ``shape`` (JSON, but not what the dialect allows), ``control`` (raw control character inside a JSON text),
    ``tool-index`` (two calls under one index), ``field`` (a line that is no SSE field; an error in it is in ``errors``
    all the same), ``gzip-members`` (browsers show the first member alone). Two hundred of a code are kept; the rest is
    counted in ``facts["faults_more"]``.
    """

    code: str
    event: int | None
    offset: int
    detail: str


@dataclass(slots=True)
class Pieces:
    """Column view of the deltas: piece ``i`` belongs to event ``event[i]`` and is
    ``channels[channel[i]].text[offset[i] : offset[i] + length[i]]``."""

    event: array[int] = field(default_factory=lambda: array("I"))
    channel: array[int] = field(default_factory=lambda: array("H"))
    offset: array[int] = field(default_factory=lambda: array("I"))
    length: array[int] = field(default_factory=lambda: array("I"))

    def __len__(self) -> int:
        return len(self.event)


@dataclass(slots=True)
class Stream:
    """A capture, decoded. All columns have one row an event; times in ms, offsets in bytes of ``body``.

    ``body`` is the content-decoded body (the capture's own bytes when no coding was in force); ``read_ends``
    maps it to reads: read ``i`` made the decoded body ``read_ends[i]`` long. ``tail`` is what the standard
    would drop: the unterminated last event. ``comments``: (ms, byte offset) of each comment line. An event ends at
    the byte that dispatches it, which for CRLF is the CR of the blank line.

    ``facts``: ``status``; of codings ``coded_bytes``, ``gzip_first_member`` (decoded bytes); of the tail ``tail``
    {whole, kind, text, finish}; of a body that is no stream ``error`` {message, code}, ``text``, ``finish``,
    ``usage``, ``title``, ``excerpt``; of dialects ``reasoning_field``, ``work`` (events at which a
    tool or a node is announced, False, or has done its work, True), ``logprob_tokens``, ``timings``, ``metrics``,
    ``ollama``, ``nodes``, ``flow_responses_after_done``, ``interactive``, ``workflow_s``, ``title``. The ``event`` of
    an error outside any event (a bare line) is the number of the event that would have come next.
    """

    capture: Capture
    wire: str
    framing: str = "sse"  # sse | ndjson | json | text | none
    coding: str = "identity"
    body: bytes = b""
    read_ends: array[int] = field(default_factory=lambda: array("Q"))
    kinds: bytearray = field(default_factory=bytearray)
    starts: array[int] = field(default_factory=lambda: array("Q"))
    ends: array[int] = field(default_factory=lambda: array("Q"))
    reads: array[int] = field(default_factory=lambda: array("I"))
    times: array[float] = field(default_factory=lambda: array("d"))
    pieces: Pieces = field(default_factory=Pieces)
    channels: list[Channel] = field(default_factory=list)
    finishes: list[Finish] = field(default_factory=list)
    usages: Usages = field(default_factory=Usages)
    errors: list[StreamError] = field(default_factory=list)
    terminators: list[int] = field(default_factory=list)
    identities: list[Identity] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)  # event → SSE event name, where one was given
    comments: list[tuple[float, int]] = field(default_factory=list)
    faults: list[WireFault] = field(default_factory=list)
    tail: bytes = b""
    facts: dict[str, Any] = field(default_factory=dict)  # dialect extras: ollama's durations, vLLM's metrics, …

    def __len__(self) -> int:
        return len(self.kinds)

    def content(self) -> list[int]:
        """Indices of the events that carry text, reasoning or tool arguments."""
        return [i for i, kind in enumerate(self.kinds) if kind in CONTENT]

    def raw(self, event: int) -> bytes:
        """The bytes of one event, its blank line included."""
        return self.body[self.starts[event] : self.ends[event]]

    def text(self, part: str = "content", choice: int = 0) -> str:
        """One channel's text, empty when there is no such channel."""
        return next((c.text for c in self.channels if c.key == (choice, part)), "")

    def deltas(self) -> Iterator[tuple[int, ChannelKey, str]]:
        """Each piece as (event, channel, text)."""
        p = self.pieces
        for i in range(len(p)):
            channel = self.channels[p.channel[i]]
            yield p.event[i], channel.key, channel.text[p.offset[i] : p.offset[i] + p.length[i]]
