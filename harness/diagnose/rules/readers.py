"""content.readers: which common readers would lose, double or garble text of these bytes. A hazard, no fault."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.readers import differences
from harness.diagnose.view import View

SAMPLE = 48 * 1024  # bytes that are tried without being asked, so that a diagnosis stays fast

READERS = Fault(
    "content.readers",
    "{kinds} would show another text than the standard's: {names}.",
    "Their cutting of bytes into events differs from the standard's; the wire is legal.",
    "One incremental decoder and one parser to the letter of the standard over the whole stream.",
)


def readers(view: View, asked: bool) -> Iterator[Finding]:
    """On request over the whole body, else over a bounded sample; for event streams of chat chunks only."""
    stream = view.stream
    if stream.framing != "sse" or stream.wire not in ("openai", "fastgpt") or not view.content:
        return
    size = len(stream.body)
    if not asked and size > SAMPLE:
        size = stream.ends[max(0, bisect_right(stream.ends, SAMPLE) - 1)]
    reads, start = [], 0
    for end in stream.read_ends:
        reads.append(stream.body[start : min(end, size)])
        start = end
        if end >= size:
            break
    told = differences(reads)
    if told:
        names = "; ".join(f"one that {name} {row['does']}" for name, row in told.items())
        words = {"names": names, "kinds": f"{len(told)} kinds of reader" if len(told) > 1 else "One kind of reader"}
        yield READERS.found(view, "info", count=len(told), words=words, readers=told, sample_bytes=size)
