"""What an inline tap recorded, found again among the chats: by key, by text, or by time. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from harness.capture.model import Capture
from harness.timeline.align import align
from harness.wire.decode import decode

SLACK_S = 0.25  # wall clocks of two processes, and what a chat needs until it asks
ALIKE = 0.8  # share of the tap's text that stands in the chat's, in order
TELLING = 12  # characters from which a text tells anything


@dataclass(frozen=True, slots=True)
class Span:
    """When an exchange ran, seconds since the epoch."""

    begun: float
    ended: float

    @classmethod
    def of(cls, capture: Capture) -> Span | None:
        try:
            begun = datetime.fromisoformat(capture.sent_at).timestamp()
        except ValueError:
            return None
        last = capture.end.t if capture.end else capture.times[-1] if len(capture.times) else 0.0
        return cls(begun, begun + last / 1000)

    def holds(self, inner: Span) -> bool:
        """Whether the inner exchange was asked while this one waited."""
        return self.begun - SLACK_S <= inner.begun <= self.ended + SLACK_S


def matched(tapped: Capture, chats: Sequence[Capture]) -> tuple[int, str] | None:
    """Index of the chat (its read capture) that this exchange served, and how that is known: ``key``, ``text`` or
    ``time``. None where there is none, or where several fit equally."""
    for index, chat in enumerate(chats):
        if tapped.exchange and tapped.exchange == chat.exchange:
            return index, "key"
    span = Span.of(tapped)
    if span is None:
        return None
    near = [i for i, chat in enumerate(chats) if (outer := Span.of(chat)) is not None and outer.holds(span)]
    text = decode(tapped).text()
    if len(text) >= TELLING:
        texts = {i: decode(chats[i]).text() for i in near}
        alike = [i for i, told in texts.items() if told and align(text, told).share() >= ALIKE]
        exact = [i for i in alike if texts[i] == text]
        if len(exact or alike) == 1:
            return (exact or alike)[0], "text"
        if alike:
            return None
    return (near[0], "time") if len(near) == 1 else None
