"""A capture to its decoded stream."""

from __future__ import annotations

from harness.capture.model import Capture
from harness.wire import sniff
from harness.wire.coding import decoded
from harness.wire.engine import fill
from harness.wire.stamps import reads_of, times_of
from harness.wire.stream import Stream


def decode(capture: Capture) -> Stream:
    """Every column of :class:`Stream`, from the bytes that this tap saw; no exception on any bytes.

    The wire is told by content where the capture does not name it. Times are ms since the tap's side began.
    """
    stream = Stream(capture, capture.wire)
    head = capture.head
    if head is not None:
        stream.facts["status"] = head.status
    coding = decoded(capture)
    stream.coding, stream.body, stream.read_ends = coding.name, coding.body, coding.ends
    comments = fill(stream, head.get("content-type") if head else "")
    stream.faults[:0] = coding.faults
    stream.facts.update(coding.facts)
    stream.reads = reads_of(stream.ends, stream.read_ends)
    stream.times = times_of(stream.reads, capture.times)
    stamps = times_of(reads_of([end for _, end in comments], stream.read_ends), capture.times)
    stream.comments = [(t, start) for t, (start, _) in zip(stamps, comments, strict=True)]
    if not stream.wire:
        stream.wire = (sniff.wire_of(capture.request.url) if capture.request else "") or "other"
    return stream
