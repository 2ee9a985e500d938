"""Order and completeness without a reference: what a stream counts by itself.

Numbered words (``t1 t2 …``, ``1, 2, 3``), SSE ids, ``sequence_number`` and continuous usage go up by one an event
when nothing was lost, doubled or swapped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from harness.diagnose.numerals import Number, number, numbers
from harness.diagnose.thresholds import COUNT_ALONE, COUNT_SHARE, COUNT_STEPS, COUNT_WORDS
from harness.diagnose.view import Text, View
from harness.phrase import phrase

SSE_ID = re.compile(rb"(?m)^id: ?(?:[^\r\n]*[^\d\r\n])?(\d{1,12})[ \t]*\r?$")
SEQUENCE = re.compile(rb'"(?:sequence_number|sequence|seq(?:_?(?:no|num|id))?|chunk_(?:index|no|id))"\s*:\s*(\d{1,12})')
STRAND_SHARE = 0.4
NEARBY = 2  # places that numbers are off on average where they overtook each other; a shuffled list is off by more
_A_NUMBER = r"(\d+|[a-z]+(?:-[a-z]+)?|[零〇一二两三四五六七八九十百]+)"
ASKED = (
    re.compile(rf"count\D{{0,20}}?\bfrom\s+{_A_NUMBER}\s+(?:up\s+|down\s+)?to\s+{_A_NUMBER}", re.I),
    re.compile(rf"numbers?\s+(?:from\s+)?{_A_NUMBER}\s+(?:to|through)\s+{_A_NUMBER}", re.I),
    re.compile(rf"从\s*{_A_NUMBER}\s*(?:数到|数数到|开始数到|报数到|到|至)\s*{_A_NUMBER}", re.I),
)
MODEL = phrase("a model that miscounts by itself")
SHARED = phrase("ids that several streams share")


@dataclass(slots=True)
class Count:
    """One counter of a stream. ``events[i]`` carried ``values[i]``; the lists name values that are at fault."""

    what: str
    values: list[int]
    events: list[int]
    doubled: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    swapped: list[int] = field(default_factory=list)
    machine: bool = False  # numbered by a program (stems, ids), not by a model that counts
    strands: int = 1  # numberings that run side by side, told apart by their exact stems (t1 T1 t2 T2)

    def shown(self, values: list[int]) -> list[int]:
        """At most twenty of the values as they stand in the text (a count-down is kept negative)."""
        return [abs(value) for value in values[:20]]

    def event_of(self, value: int) -> int | None:
        return self.events[self.values.index(value)] if value in self.values else None

    def alternative(self) -> str | None:
        """What else than damage on the way would explain the fault; None when nothing would."""
        if self.what == "SSE id":
            return SHARED
        return None if self.machine else MODEL

    def event_after(self, value: int) -> int | None:
        """The first event that carries a larger value: where a missing one should have come."""
        return next((e for v, e in zip(self.values, self.events, strict=True) if v > value), None)


def counts(view: View) -> list[Count]:
    """Every counter that runs in this stream and shows a fault, judged once a view."""
    if "counts" not in view.memo:
        view.memo["counts"] = _counts(view)
    found: list[Count] = view.memo["counts"]
    return found


def _counts(view: View) -> list[Count]:
    found = [count for key in view.texts for count in _words(view, key)]
    body = view.stream.body
    if b"\nid:" in body or body.startswith(b"id:"):
        found += _marks(view, "SSE id", SSE_ID)
    if b'"sequence_number"' in body:
        found += _marks(view, "sequence_number", SEQUENCE)
    return found


def _words(view: View, key: tuple[int, str]) -> list[Count]:
    text = view.texts[key]  # type: ignore[index]
    found = numbers(text.text, COUNT_SHARE, int(COUNT_WORDS))
    if len(found) < COUNT_WORDS:
        return []
    exact = Counter(hit.stem for hit in found)
    count = Count(
        phrase("numbers in the text")
        if key == (0, "content")
        else phrase("numbers in {channel}", channel=f"{key[0]}/{key[1]}"),
        [hit.value for hit in found],
        _events(text, found),
    )
    count.machine = bool(found[0].stem) and found[0].stem.isascii()
    count.strands = sum(1 for times in exact.values() if times >= STRAND_SHARE * len(found))
    return _judged(count)


def _events(text: Text, hits: Sequence[Number]) -> list[int]:
    """The events that carried the last characters of these numbers, which come in order."""
    events, at, last = [], 0, len(text.ends) - 1
    for hit in hits:
        while at < last and text.ends[at] < hit.end:
            at += 1
        events.append(text.events[at])
    return events


def _marks(view: View, what: str, pattern: re.Pattern[bytes]) -> list[Count]:
    starts = view.stream.starts
    values, events = [], []
    at = 0
    for hit in pattern.finditer(view.stream.body):
        while at + 1 < len(starts) and starts[at + 1] <= hit.start():
            at += 1
        values.append(int(hit.group(1)))
        events.append(at)
    return _judged(Count(what, values, events, machine=True))


def _judged(count: Count) -> list[Count]:
    values = count.values
    if len(values) < COUNT_WORDS:
        return []
    if _downwards(values):
        values = [-value for value in values]
        count.values = values
    steps = [b - a for a, b in pairwise(values)]
    if _cycles(values):
        return []
    ups = sum(1 for step in steps if step == 1)
    seen = Counter(values)
    if ups < COUNT_STEPS * len(steps) and not _shuffled(values):
        return []
    count.doubled = [value for value, times in seen.items() if times > 1]
    span = range(min(values), max(values) + 1)
    if len(span) > 2 * len(values):
        return []
    count.missing = [value for value in span if value not in seen]
    once, top = [], None
    for value in values:
        if top is not None and value < top and value not in count.doubled:
            once.append(value)
        top = value if top is None else max(top, value)
    count.swapped = once
    return [count] if count.doubled or count.missing or count.swapped else []


def _shuffled(values: list[int]) -> bool:
    """Every number of a range, about once each or each twice in a row, and none far from its place."""
    distinct = set(values)
    span = max(values) - min(values) + 1
    if len(distinct) < COUNT_WORDS or len(distinct) < COUNT_SHARE * span or len(values) > 2 * span:
        return False
    again = len(values) - len(distinct) - sum(1 for a, b in pairwise(values) if a == b)
    if again > (1 - COUNT_SHARE) * len(distinct):  # digits of a number, scores: numbers that come as they like
        return False
    return sum(abs(a - b) for a, b in zip(values, sorted(values), strict=True)) <= NEARBY * len(values)


def _downwards(values: list[int]) -> bool:
    """A count-down: as legal as a count-up, and read as one."""
    downs = sum(1 for a, b in pairwise(values) if b - a == -1)
    return downs > 0.5 * (len(values) - 1)


def _cycles(values: list[int]) -> bool:
    """The same numbers again and again, each time whole: an answer that counts more than once, not a doubled one."""
    first, last = values[0], max(values)
    run = last - first + 1
    return run > 1 and len(values) > run and all(v == first + i % run for i, v in enumerate(values))


def promised(view: View) -> tuple[int, int] | None:
    """The range that the prompt asked to count, from its last user message: digits or words, English or Chinese."""
    messages = view.asked.get("messages")
    for message in reversed(messages if isinstance(messages, list) else []):
        content = message.get("content") if isinstance(message, dict) else None
        for pattern in ASKED:
            hit = pattern.search(content) if isinstance(content, str) else None
            low, high = (number(hit.group(1)), number(hit.group(2))) if hit else (None, None)
            if low is not None and high is not None:
                return low, high
    return None


def weight(view: View, count: Count, values: list[int]) -> str:
    """The severity of a fault in a count: an error, but for a lone skip in prose that nobody asked to count."""
    if count.machine or promised(view) or len(values) > COUNT_ALONE:
        return "error"
    return "warning"
