"""Which event at an outer hop carries what an event at the inner hop carried."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from harness.timeline.align import align
from harness.wire.stream import ChannelKey, Stream


def arrows(inner: Stream, outer: Stream) -> Iterator[tuple[int, int]]:
    """Pairs (inner event, outer event), by the last character of each inner piece, channel by channel.

    Text that the outer hop does not have makes no pair; a chunk that a gateway joined or split pairs with the
    event that brought its last character.
    """
    theirs, ours = _columns(outer), _columns(inner)
    texts = {channel.key: channel.text for channel in outer.channels}
    for channel in inner.channels:
        if channel.key not in theirs or channel.key not in ours:
            continue
        events, ends = ours[channel.key]
        outer_events, outer_ends = theirs[channel.key]
        alignment = align(channel.text, texts[channel.key], ends, outer_ends)
        for event, end in zip(events, ends, strict=True):
            offset = end - 1 if alignment.equal else alignment.outer_offset(end - 1)
            if offset is None:
                continue
            at = bisect_right(outer_ends, offset)
            if at < len(outer_events):
                yield event, outer_events[at]


def _columns(stream: Stream) -> dict[ChannelKey, tuple[list[int], list[int]]]:
    """Per channel: the events that carry a piece of it, and where each piece ends in the channel's text."""
    found: dict[ChannelKey, tuple[list[int], list[int]]] = {}
    p = stream.pieces
    for i in range(len(p)):
        if p.length[i]:
            events, ends = found.setdefault(stream.channels[p.channel[i]].key, ([], []))
            events.append(p.event[i])
            ends.append(p.offset[i] + p.length[i])
    return found
