"""Two tellings of one text held side by side: what is equal, lost, doubled, moved, foreign or changed.

By offset where the texts are equal (chunking never matters); otherwise unit by unit (pieces where both sides
chunk alike, words where a gateway chunked anew), after the common beginning and end are taken off. Repetitive
text and 100,000 units stay linear: above ``EXACT_UNITS`` a windowed resynchronisation replaces the exact one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

from harness.timeline.units import Units, word_ends

EXACT_UNITS = 1500
WINDOW = 64
REPEAT_CHARS = 12


class Edit(NamedTuple):
    """``kind``: equal, lost, doubled, moved, foreign, changed; inner[a:a_end] ↔ outer[b:b_end], in characters."""

    kind: str
    a: int
    a_end: int
    b: int
    b_end: int


@dataclass(slots=True)
class Alignment:
    """Edits in order of the outer text; a moved unit stands as two edits, once on each side."""

    inner: str
    outer: str
    edits: list[Edit] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        return self.inner == self.outer

    def share(self) -> float:
        """Share of the inner text that stands in the outer one, in order."""
        kept = sum(e.a_end - e.a for e in self.edits if e.kind == "equal")
        return kept / len(self.inner) if self.inner else 1.0

    def of(self, *kinds: str) -> list[Edit]:
        return [e for e in self.edits if e.kind in kinds]

    def outer_offset(self, offset: int) -> int | None:
        """Where the inner character at ``offset`` stands in the outer text, None when it does not."""
        blocks = [e for e in self.edits if e.kind == "equal" or (e.kind == "moved" and e.a_end > e.a and e.b_end > e.b)]
        blocks.sort()
        at = bisect_right([e.a for e in blocks], offset) - 1
        if at < 0 or offset >= blocks[at].a_end:
            return None
        return blocks[at].b + offset - blocks[at].a


def align(inner: str, outer: str, inner_ends: Sequence[int] = (), outer_ends: Sequence[int] = ()) -> Alignment:
    """Align two texts; ``*_ends`` are the piece ends (offsets), used as units where both sides chunk alike."""
    result = Alignment(inner, outer)
    if inner == outer:
        result.edits = [Edit("equal", 0, len(inner), 0, len(outer))] if inner else []
        return result
    a, b = _units(inner, outer, inner_ends, outer_ends)
    result.edits = _moves(_edits(a, b), a, b)
    return result


def _units(inner: str, outer: str, inner_ends: Sequence[int], outer_ends: Sequence[int]) -> tuple[Units, Units]:
    if inner_ends and outer_ends and inner_ends[-1] == len(inner) and outer_ends[-1] == len(outer):
        a, b = Units(inner, inner_ends), Units(outer, outer_ends)
        common = sum((Counter(a.parts) & Counter(b.parts)).values())
        if common >= 0.6 * min(len(a), len(b)):
            return a, b
    return Units(inner, word_ends(inner)), Units(outer, word_ends(outer))


def _edits(a: Units, b: Units) -> list[Edit]:
    lead, limit = 0, min(len(a), len(b))
    while lead < limit and a.parts[lead] == b.parts[lead]:
        lead += 1
    limit -= lead
    tail = 0
    while tail < limit and a.parts[-1 - tail] == b.parts[-1 - tail]:
        tail += 1
    middle_a, middle_b = a.parts[lead : len(a) - tail], b.parts[lead : len(b) - tail]
    codes: list[tuple[str, int, int, int, int]] = [("equal", 0, lead, 0, lead)] if lead else []
    if max(len(middle_a), len(middle_b)) <= EXACT_UNITS:
        matcher = SequenceMatcher(None, middle_a, middle_b, autojunk=False)
        inside = [(str(tag), i, j, k, m) for tag, i, j, k, m in matcher.get_opcodes()]
    else:
        inside = _windowed(middle_a, middle_b)
    codes += [(tag, i + lead, j + lead, k + lead, m + lead) for tag, i, j, k, m in inside]
    if tail:
        codes.append(("equal", len(a) - tail, len(a), len(b) - tail, len(b)))
    names = {"equal": "equal", "delete": "lost", "insert": "foreign", "replace": "changed"}
    return [Edit(names[tag], a.at[i], a.at[j], b.at[k], b.at[m]) for tag, i, j, k, m in codes]


def _windowed(a: list[str], b: list[str]) -> list[tuple[str, int, int, int, int]]:
    """Greedy alignment: run while equal; at a difference take the nearest point where three units agree again."""
    codes: list[tuple[str, int, int, int, int]] = []
    x = y = 0
    while x < len(a) and y < len(b):
        run = 0
        while x + run < len(a) and y + run < len(b) and a[x + run] == b[y + run]:
            run += 1
        if run:
            codes.append(("equal", x, x + run, y, y + run))
            x, y = x + run, y + run
            continue
        step = next(
            (
                (i, total - i)
                for total in range(1, WINDOW)
                for i in range(total + 1)
                if a[x + i : x + i + 3] == b[y + total - i : y + total - i + 3] and a[x + i : x + i + 3]
            ),
            None,
        )
        if step is None:
            break
        i, j = step
        codes.append(("replace" if i and j else "delete" if i else "insert", x, x + i, y, y + j))
        x, y = x + i, y + j
    if x < len(a) or y < len(b):
        tag = "replace" if x < len(a) and y < len(b) else "delete" if x < len(a) else "insert"
        codes.append((tag, x, len(a), y, len(b)))
    return codes


def _moves(edits: list[Edit], a: Units, b: Units) -> list[Edit]:
    """Tell moved and doubled units from lost and foreign ones."""
    inner, outer = "".join(a.parts), "".join(b.parts)
    split: list[Edit] = []
    for edit in edits:
        if edit.kind == "changed":
            split += [
                Edit("lost", edit.a, edit.a_end, edit.b, edit.b),
                Edit("foreign", edit.a_end, edit.a_end, edit.b, edit.b_end),
            ]
        else:
            split.append(edit)
    missing: dict[str, list[Edit]] = {}
    for edit in split:
        if edit.kind == "lost":
            for part, at in _parts(a, edit.a, edit.a_end):
                missing.setdefault(part, []).append(Edit("lost", at, at + len(part), edit.b, edit.b))
    out: list[Edit] = []
    found: list[Edit] = []
    for edit in split:
        if edit.kind == "equal":
            out.append(edit)
        elif edit.kind == "foreign" and not _stands_in(missing, b, edit) and _repeats(inner, outer, edit):
            out.append(edit._replace(kind="doubled"))
        elif edit.kind == "foreign":
            for part, at in _parts(b, edit.b, edit.b_end):
                if missing.get(part):
                    source = missing[part].pop(0)
                    out.append(Edit("moved", source.a, source.a_end, at, at + len(part)))
                    found.append(source)
                else:
                    kind = "doubled" if _echo(outer, at, at + len(part)) else "foreign"
                    out.append(Edit(kind, edit.a, edit.a, at, at + len(part)))
    out += [edit for edits_left in missing.values() for edit in edits_left]
    return _pair_changes(_joined(sorted(out, key=lambda e: (e.b, e.a))))


def _parts(units: Units, start: int, stop: int) -> list[tuple[str, int]]:
    first, last = bisect_left(units.at, start), bisect_left(units.at, stop)
    return [(units.parts[i], units.at[i]) for i in range(first, last) if units.parts[i]]


def _stands_in(missing: dict[str, list[Edit]], b: Units, edit: Edit) -> bool:
    """Whether every unit of an added stretch is missing elsewhere: then it moved."""
    return all(missing.get(part) for part, _ in _parts(b, edit.b, edit.b_end))


def _repeats(inner: str, outer: str, edit: Edit) -> bool:
    """Whether a whole added stretch is told a second time: next to its twin, or long enough to be no chance."""
    added = outer[edit.b : edit.b_end]
    return (len(added.strip()) > REPEAT_CHARS and added.strip() in inner) or _echo(outer, edit.b, edit.b_end)


def _echo(text: str, start: int, stop: int) -> bool:
    """Whether text[start:stop] repeats what stands right before or right after it."""
    size = stop - start
    part = text[start:stop]
    return bool(part.strip()) and (text[max(0, start - size) : start] == part or text[stop : stop + size] == part)


def _joined(edits: list[Edit]) -> list[Edit]:
    out: list[Edit] = []
    for edit in edits:
        last = out[-1] if out else None
        if last and last.kind == edit.kind and last.a_end == edit.a and last.b_end == edit.b:
            out[-1] = Edit(edit.kind, last.a, edit.a_end, last.b, edit.b_end)
        else:
            out.append(edit)
    return out


def _pair_changes(edits: list[Edit]) -> list[Edit]:
    """A lost and a foreign stretch at the same place are one change, unless one is a part of the other."""
    out: list[Edit] = []
    for edit in edits:
        last = out[-1] if out else None
        if last and {last.kind, edit.kind} == {"lost", "foreign"} and last.b_end == edit.b and _meet(last, edit):
            lost, added = (last, edit) if last.kind == "lost" else (edit, last)
            out[-1] = Edit("changed", lost.a, lost.a_end, added.b, added.b_end)
        else:
            out.append(edit)
    return out


def _meet(first: Edit, second: Edit) -> bool:
    return first.a_end == second.a or first.a == second.a or second.a_end == first.a
