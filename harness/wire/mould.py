"""Events that differ in a few places alone, decoded by the hundred without parsing the same JSON again and again.

Most events of a stream are byte for byte alike but for their text, and perhaps a count, a time or an id. A
:class:`Mould` is the bytes that stay, with holes where the others stand. What has those bytes around values of the
right form in its holes decodes to those values, by JSON's own grammar. Everything else goes the long way round.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import NamedTuple

from harness.wire import columns
from harness.wire.effect import Effect
from harness.wire.leaves import Leaf, Path
from harness.wire.pour import Values, pour
from harness.wire.roles import LOGPROBS, OVERWRITTEN
from harness.wire.sink import Sink

_SMALL, _LARGE = 1 << 12, 1 << 17  # bytes looked at in one go
_NEEDLE, _LONG = 4, 72  # bytes that are looked for where there are so many more: the longer, the slower

_READERS: dict[str, columns.Read] = {
    "text": columns.texts, "id": columns.texts, LOGPROBS: columns.logprobs
} | dict.fromkeys(OVERWRITTEN, columns.values)  # fmt: skip
_QUIET: dict[str, columns.Read] = {"text": columns.quiet, "number": columns.numbers, "json": columns.values}


class Hole(NamedTuple):
    """A place in the block where a value stands, and what it means: ``text`` or a role of
    :mod:`harness.wire.roles`."""

    path: Path
    leaf: Leaf
    role: str

    @property
    def read(self) -> columns.Read:
        """The reader of such values."""
        return _QUIET[self.leaf.form] if self.role == "quiet" else _READERS.get(self.role, columns.integers)


class Sample:
    """An event's ``block``, in which ``block[at:stop]`` is its data and ``end`` is the blank line or line end."""

    def __init__(self, block: bytes, at: int, stop: int, name: str, end: bytes) -> None:
        self.block, self.at, self.stop, self.name, self.end = block, at, stop, name, end
        self.data = block[at:stop]


class Mould:
    """One event's bytes with holes in them, in their order; ``effect`` is what it does to the rows.

    ``places``: all the values that stand in the sample. ``used``: events read. ``stretch``: bytes that matched last
    time. ``most``: bytes of one event; a longer one does not match.
    """

    def __init__(
        self, sample: Sample, holes: list[Hole], places: dict[Path, Leaf], effect: Effect, sink: Sink, most: int
    ) -> None:
        self.sample, self.holes, self.places, self.effect = sample, holes, places, effect
        block, self._end = sample.block, sample.end
        self.used = self.stretch = 0
        self._late = len(self._end) // 4  # bytes after the one that dispatches: the LF of a CRLF
        self._memory = sink.memory()
        self._most = min(most, _LARGE)
        self._prefix = block[: holes[0].leaf.start]
        self._between = [block[a.leaf.stop : b.leaf.start] for a, b in pairwise(holes)]
        self._suffix = block[holes[-1].leaf.stop :]
        self._around = len(self._prefix) + len(self._suffix)
        self._before, self._period = self._prefix.count(b"\n"), block.count(b"\n")
        self._join = self._suffix + self._prefix
        self._line = self._prefix[self._prefix.rfind(b"\n") + 1 :], self._suffix[: self._suffix.find(b"\n")]

    def run(self, buffer: bytes, at: int, last: int, sink: Sink) -> int:
        """Decode as many events as match from ``at`` on; where the first one starts that does not.

        ``buffer[:last]`` holds whole events, from the body's first byte on.
        """
        begin, window = at, min(max(self.stretch + len(self.sample.block), _SMALL), self._most)
        if sink.half or sink.memory() != self._memory:
            return at
        while at < last and buffer.startswith(self._prefix, at):
            stop = last
            if last - at > window:
                stop = buffer.rfind(self._end, at, at + window) + len(self._end)
            if stop <= at:  # one event is longer than the window
                break
            rows = self._rows(buffer, at, stop)
            bounds = list(accumulate(map(self._around.__add__, map(len, rows)), initial=at))
            values = self._read(rows)
            del bounds[len(rows) + 1 :]
            count = pour(self.effect, values, bounds, self._late, self.sample.name, sink)
            self.used += count
            at = bounds[count]
            if at < stop:
                break
            window = min(window * 2, self._most)
        self.stretch = at - begin
        return at

    def fits(self, block: bytes) -> bool:
        """Whether this event has the bytes that stay, all of them."""
        at = len(self._prefix)
        for between in self._between:
            at = block.find(between, at) + len(between)
            if at < len(between):
                return False
        return block.startswith(self._prefix) and block.endswith(self._suffix)

    def _rows(self, buffer: bytes, at: int, end: int) -> list[bytes]:
        """What stands between first and last bytes in the leading events of ``buffer[at:end]`` that have them.

        Cut blindly, then proven by putting the events together again.
        """
        start, stop = self._line
        lines = buffer[at:end].split(b"\n")[self._before :: self._period]
        if not self._before:
            lines.pop()  # what stands behind the last line's end: nothing
        head, foot = len(start), len(stop)
        rows = [line[head : len(line) - foot] for line in lines]
        begin = at + len(self._prefix)  # which is there, or else this would not have been called
        whole = self._join.join(rows)
        rest = begin + len(whole)
        if (
            end == rest + len(self._suffix)
            and buffer.startswith(whole, begin)
            and buffer.startswith(self._suffix, rest)
        ):
            return rows
        fit = (line.startswith(start) and line.endswith(stop) and len(line) >= head + foot for line in lines)
        rows = rows[: next((i for i, fits in enumerate(fit) if not fits), len(rows))]
        while rows and not buffer.startswith(self._join.join(rows) + self._suffix, begin):
            rows = rows[: len(rows) // 2]  # some other line is odd
        return rows

    def _read(self, rows: list[bytes]) -> Values:
        """The values in the holes, by role, of the leading rows that have the right ones; the other rows are dropped
        from the list."""
        found: Values = {}
        left = rows
        for hole, between in zip(self.holes, [*self._between, b""], strict=True):
            raw, left = _cut(left, between) if between and left else (left, left)
            values = found[hole.role] = columns.leading(raw, hole.read)
            del left[len(values) :]
        del rows[len(left) :]
        return found


def _cut(rows: list[bytes], between: bytes) -> tuple[list[bytes], list[bytes]]:
    """What stands before and behind these bytes in the leading rows that have them."""
    needle = between if len(between) <= _LONG else between[:_NEEDLE]
    if needle is between and len(rows[0]) < _LONG:
        parts = needle.join(rows).split(needle)
        if len(parts) == 2 * len(rows):
            return parts[0::2], parts[1::2]
    before, found, behind = zip(*[row.partition(needle) for row in rows], strict=True)
    if b"" not in found:
        if needle is between:
            return list(before), list(behind)
        more = between[_NEEDLE:]  # must follow
        rest = [row[len(more) :] for row in behind]
        if more + more.join(rest) == b"".join(behind):
            return list(before), rest
    cut = [row.partition(between) for row in rows]
    cut = cut[: next((i for i, (_, middle, _) in enumerate(cut) if not middle), len(cut))]
    return [row for row, _, _ in cut], [row for _, _, row in cut]
