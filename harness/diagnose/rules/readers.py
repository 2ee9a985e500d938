"""content.readers: which common readers would lose, double or garble text of these bytes. A hazard, no fault."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.readers import differences
from harness.diagnose.view import View
from harness.phrase import Phrase, joined, phrase, term

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
        names = joined("; ", [phrase("{who} {does}", who=_who(name), does=row["does"]) for name, row in told.items()])
        short = {str(_who(name)): ": ".join(filter(None, (row["does"], row["failure"]))) for name, row in told.items()}
        many = phrase("{count} kinds of reader", count=len(told))
        words = {"names": names, "kinds": many if len(told) > 1 else phrase("One kind of reader")}
        yield READERS.found(view, "info", words=words, readers=short, sample_bytes=size)


def _who(name: str) -> Phrase:
    """``the openai SDK for Python`` for a library, ``one that splits at …`` for a habit."""
    return term(name.removeprefix("is ")) if name.startswith("is ") else phrase("one that {habit}", habit=term(name))
