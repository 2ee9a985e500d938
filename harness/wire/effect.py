"""What one event does to the rows, when it does no more than the commonest events do: found by reading it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harness.wire.events import Events
from harness.wire.identities import Came
from harness.wire.roles import FACTS, LOGPROBS
from harness.wire.sink import Sink
from harness.wire.stream import CONTENT, Channel, ChannelKey, Stream
from harness.wire.usages import Counts


@dataclass(slots=True)
class Effect:
    """One piece of text, with an identity and perhaps token counts and facts that the next event overwrites.

    ``came``: the identity's parts as the event gives them; None when it is silent about them. ``counts``: prompt,
    completion, total, reasoning. ``logprobs``: tokens that are named.
    """

    kind: int
    key: ChannelKey
    text: str
    came: Came | None
    counts: Counts | None
    logprobs: int | None
    facts: dict[str, Any]


def effect(data: bytes, name: str, sink: Sink) -> Effect | None:
    """The effect that this event would have if it came now; None when it would have any other one besides."""
    like = sink.stream
    stream = Stream(like.capture, like.wire)
    events = Events(stream)
    before = sink.memory()
    _, events.sink.settled, events.sink.seen = sink.memory()
    events.event(data, name, 0, len(data))
    events.sink.end()
    more = stream.faults or stream.errors or stream.finishes or stream.terminators
    if more or len(stream.pieces) != 1 or len(stream.usages) > 1 or stream.kinds[0] not in CONTENT:
        return None
    if events.sink.memory() != before or not FACTS.issuperset(stream.facts):
        return None
    (channel,) = stream.channels
    if (channel.name or channel.id) and not _called_so(channel, sink):
        return None
    counts = stream.usages[0][1:] if stream.usages else None
    facts = dict(stream.facts)
    logprobs = facts.pop(LOGPROBS, None)
    return Effect(stream.kinds[0], channel.key, channel.text, events.sink.identities.came, counts, logprobs, facts)


def _called_so(channel: Channel, sink: Sink) -> bool:
    """The tool call has this name and id already."""
    number = sink.index.get(channel.key)
    known = None if number is None else sink.stream.channels[number]
    return known is not None and channel.name in ("", known.name) and channel.id in ("", known.id)
