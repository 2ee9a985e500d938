"""One hop as the rules see it: its stream, and the facts that several rules need, computed once."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from operator import add, sub
from statistics import median
from typing import Any

from harness.capture.model import Capture, Head
from harness.phrase import phrase, term
from harness.timeline.reached import unreached
from harness.wire.stream import CONTENT, ChannelKey, Kind, Stream

SHORT_SNAPSHOT = 4  # characters of the last of three pieces: shorter ones (1, 12, 123) may be the answer's own


@dataclass(slots=True)
class Text:
    """One channel: its text, and for each piece the text offset after it and the event that carried it."""

    key: ChannelKey
    text: str
    ends: list[int] = field(default_factory=list)
    events: list[int] = field(default_factory=list)

    def pieces(self) -> list[str]:
        start, out = 0, []
        for end in self.ends:
            out.append(self.text[start:end])
            start = end
        return out

    def growth(self) -> tuple[int, int, int | None]:
        """How many pieces begin with the whole piece before them and are longer, of how many; and the first event."""
        start, last, grown, total, first = 0, "", 0, 0, None
        for end, event in zip(self.ends, self.events, strict=True):
            piece, start = self.text[start:end], end
            if last:
                total += 1
                if len(piece) > len(last) and last.strip() and piece.startswith(last):
                    grown += 1
                    first = event if first is None else first
                elif total > 50 and grown < 0.5 * total:
                    break
            last = piece
        return grown, total, first

    def event_at(self, offset: int) -> int:
        """The event that carried the character at ``offset`` (the last one past the end)."""
        return self.events[min(bisect_left(self.ends, offset + 1), len(self.events) - 1)]


class View:
    """A stream with its place on the route. ``index`` 0 is innermost."""

    def __init__(self, stream: Stream, index: int = 0) -> None:
        self.stream, self.index = stream, index
        self.capture: Capture = stream.capture
        self.hop, self.kind = self.capture.hop, self.capture.kind
        self.memo: dict[str, Any] = {}  # what rule helpers computed once for this view

    @property
    def head(self) -> Head | None:
        return self.capture.head

    @property
    def answered(self) -> bool:
        """A response began: a head, or bytes of a body where the recording has no head."""
        return self.head is not None or len(self.capture.times) > 0

    @property
    def status(self) -> int | None:
        return self.head.status if self.head else None

    @property
    def end(self) -> str:
        """How the exchange ended; a capture without an end was open when the recording stopped."""
        return self.capture.end.kind if self.capture.end else "open"

    @property
    def detail(self) -> str:
        return self.capture.end.detail if self.capture.end else ""

    @cached_property
    def end_ms(self) -> float:
        if self.capture.end and self.capture.end.t == self.capture.end.t:
            return self.capture.end.t
        return self.last_ms

    @cached_property
    def last_ms(self) -> float:
        """When the last byte (or the head) came; 0 when nothing did."""
        times = self.capture.times
        return max(times[-1] if len(times) else 0.0, self.head.t if self.head else 0.0)

    @property
    def resolution_ms(self) -> float:
        """How finely this tap's clock tells times apart, as far as the recorder says."""
        return self.capture.clock.resolution_ms if self.capture.clock else 0.0

    @cached_property
    def content(self) -> list[int]:
        return self.stream.content()

    @cached_property
    def content_ms(self) -> list[float]:
        return list(map(self.stream.times.__getitem__, self.content))

    @cached_property
    def gaps(self) -> list[float]:
        """Milliseconds between neighbouring content events, never negative."""
        at = self.content_ms
        gaps = list(map(sub, at[1:], at))
        return gaps if not gaps or min(gaps) >= 0 else [max(0.0, gap) for gap in gaps]

    @cached_property
    def median_gap(self) -> float:
        return median(self.gaps) if self.gaps else 0.0

    @cached_property
    def ttft_ms(self) -> float | None:
        return self.content_ms[0] if self.content else None

    @cached_property
    def texts(self) -> dict[ChannelKey, Text]:
        """Channels that carry text, with the place of each piece."""
        channels = [Text(channel.key, channel.text) for channel in self.stream.channels]
        pieces = self.stream.pieces
        if len(channels) == 1 and 0 not in pieces.length:
            channels[0].ends = list(map(add, pieces.offset, pieces.length))
            channels[0].events = pieces.event.tolist()
            return {text.key: text for text in channels if text.text and text.events}
        for event, channel, offset, length in zip(
            pieces.event, pieces.channel, pieces.offset, pieces.length, strict=True
        ):
            if length:
                channels[channel].ends.append(offset + length)
                channels[channel].events.append(event)
        return {text.key: text for text in channels if text.text and text.events}

    @cached_property
    def snapshots(self) -> tuple[int, int, int | None] | None:
        """(grown, total, first event) when the pieces of a channel are snapshots of the text, not deltas."""
        for text in self.texts.values():
            grown, total, first = text.growth()
            few = total == 2 == grown and len(text.text) - text.ends[-2] >= SHORT_SNAPSHOT
            if few or (total >= 3 and grown >= 0.8 * total):
                return grown, total, first
        return None

    @cached_property
    def choices(self) -> set[int]:
        """Choice indices that carried content."""
        return {key.choice for key in self.texts}

    @cached_property
    def finished(self) -> dict[int, str]:
        """Choice → the last finish reason that it was given."""
        return {finish.choice: finish.reason for finish in self.stream.finishes if finish.reason}

    @property
    def terminated(self) -> bool:
        return bool(self.stream.terminators)

    @cached_property
    def text_complete(self) -> bool:
        """Every choice that spoke was finished, or the terminator came."""
        return self.terminated or (bool(self.finished) and self.choices <= set(self.finished))

    @property
    def refused(self) -> bool:
        """An error status, or a redirect: a POST that is sent once follows none."""
        return self.status is not None and self.status >= 300

    @cached_property
    def unreached(self) -> bool:
        """No connection could be made (refused, DNS, TLS, no answer), as against one that was made and then lost."""
        return unreached(self.capture)

    @property
    def why_unreached(self) -> str:
        if self.end == "timeout" and self.detail == "tls handshake":
            seconds = f"{self.end_ms / 1000:.3g}"
            return phrase("no TLS handshake within {seconds} s; is this port plain HTTP?", seconds=seconds)
        if self.end == "timeout":
            return phrase("no connection within {seconds} s", seconds=f"{self.end_ms / 1000:.3g}")
        return term(self.detail) or phrase("refused, or reset before it answered")

    @cached_property
    def streamed(self) -> bool:
        """The body is a stream of events, or empty with nothing against it."""
        return self.stream.framing in ("sse", "ndjson")

    @cached_property
    def unknown(self) -> bool:
        """There are events, and none of a dialect that is known here: nothing tells which is text, or the end."""
        return self.streamed and len(self.stream) > 0 and set(self.stream.kinds) == {Kind.UNKNOWN}

    @property
    def in_band(self) -> bool:
        return bool(self.stream.errors)

    @property
    def error_document(self) -> bool:
        """One JSON document that tells an error, under a status of success."""
        return self.stream.framing == "json" and not self.refused and ("error" in self.stream.facts or self.in_band)

    @property
    def clear_refusal(self) -> bool:
        """This hop said plainly that it failed: an error status, or an error inside the stream."""
        return self.refused or self.in_band or self.error_document

    @property
    def ours_to_close(self) -> bool:
        return self.end == "aborted" and not self.terminated

    @cached_property
    def asked(self) -> dict[str, Any]:
        """The request's body when it is an object."""
        body = self.capture.request.body if self.capture.request else None
        return body if isinstance(body, dict) else {}

    @property
    def asked_to_stream(self) -> bool | None:
        request = self.capture.request
        if isinstance(self.asked.get("stream"), bool):
            return bool(self.asked["stream"])
        if request and any(k == "accept" and "event-stream" in v for k, v in request.headers):
            return True
        return None if not self.asked else ("/api/chat" in (request.url if request else "") or None)

    def header(self, name: str) -> str:
        return self.head.get(name) if self.head else ""

    def is_content(self, event: int) -> bool:
        return Kind(self.stream.kinds[event]) in CONTENT

    def opening_ms(self) -> float:
        """How long the exchange waited for its first content: until it came, or until the end."""
        return self.ttft_ms if self.ttft_ms is not None else self.end_ms
