"""Decoded bytes to columns: tells the framing, cuts the body into events, ends it. Knows no clock."""

from __future__ import annotations

from harness.phrase import phrase
from harness.wire import sniff, whole
from harness.wire.events import Events, alone
from harness.wire.frames import SSEFrames
from harness.wire.payload import Broken, parse
from harness.wire.records import Records
from harness.wire.shortcuts import Shortcuts
from harness.wire.sse import LIMIT
from harness.wire.stream import Kind, Stream


def fill(stream: Stream, content_type: str = "", limit: int = LIMIT, plain: bool = False) -> list[tuple[int, int]]:
    """Fill a stream from its ``body``, its reads and times apart; gives (start, end) byte offsets of comment lines.

    ``limit``: bytes of one event. ``plain`` switches off what is learned from one event about the next (see
    :mod:`harness.wire.mould`).
    """
    body, events = stream.body, Events(stream, limit)
    short = None if plain else Shortcuts(events.sink, limit)
    stream.framing = sniff.framing(body[: sniff.ENOUGH + 1], content_type, stream.wire, whole=True)
    if stream.framing == "sse":
        frames = SSEFrames(body, events, limit, short)
        if (tail := frames.run()).strip():
            _tail(tail, stream, events)
        if frames.oversize is not None:
            _oversize(frames.oversize, events)
    elif stream.framing == "ndjson":
        start, data = Records(body, events, limit, short).run()
        if data != b"":
            _last(start, data, stream, events)
    elif stream.framing == "json":
        whole.json_body(body, stream, events.sink)
    elif stream.framing == "text":
        whole.text_body(body, stream)
    if not stream.wire:  # nobody's stream that we know: nothing says that it should be JSON
        stream.faults = [fault for fault in stream.faults if fault.code != "json"]
    events.sink.end()
    return events.comments


def _oversize(start: int, events: Events) -> None:
    """A line without end: nothing was dispatched that could tell of it."""
    events.sink.fault("line-limit", phrase("over {limit} bytes; not read", limit=events.limit), start, event=False)


def _last(start: int, data: bytes | None, stream: Stream, events: Events) -> None:
    """A last record without its newline counts when it is whole."""
    if data is None:
        _oversize(start, events)
    if data is None or isinstance(parse(data)[0], Broken):
        stream.tail = data or b""
        events.sink.fault("tail", "the last record is cut off", start, event=False)
    else:
        events.event(data, "", start, len(stream.body))


def _tail(tail: bytes, stream: Stream, events: Events) -> None:
    """Keep what the standard drops, and say what a lenient client would make of it."""
    stream.tail = tail
    found = alone(tail + b"\n\n", stream, events.limit)
    if not found.kinds:
        return
    offset = len(stream.body) - len(tail)
    events.sink.fault("tail", "the last event has no blank line after it", offset, event=False)
    stream.facts["tail"] = {
        "whole": not any(fault.code == "json" for fault in found.faults),
        "kind": Kind(found.kinds[0]).name.lower(),
        "text": "".join(channel.text for channel in found.channels),
        "finish": [finish.reason for finish in found.finishes],
    }
