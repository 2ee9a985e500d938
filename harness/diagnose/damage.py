"""What a hop did to the text, channel by channel: the edits of the alignment, classed, and when they count.

Two exchanges of one prompt may differ because the model was sampled twice. That is told apart from damage by what
comes after the first difference: damage falls back into step (the same words go on, or stand elsewhere), another
sample does not.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from harness.diagnose.charset import blind, mojibake, spoils
from harness.diagnose.elsewhere import stands_elsewhere
from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import SAME_TEXT
from harness.diagnose.view import View
from harness.timeline.align import Alignment, Edit
from harness.timeline.units import word_ends
from harness.wire.stream import ChannelKey

SHORT = 4  # words: too few to fall back into step
FOLLOWED = {"unknown": 1, "different": 8}  # words in step behind a hole: fewer may be another sample's shorter way
MIXED_PLACES = 3  # stretches of foreign text at separate places, beside which the inner text is whole
WORDS = re.compile(r"[\w\s.,;:!?'’\"“”-]*")
KINDS = ("interleave", "reorder", "duplicate", "loss", "rewrite", "encoding", "whitespace", "sampled")


@dataclass(slots=True)
class Damage:
    """One kind of damage of one channel. ``edits`` are those of that kind, ``share`` what survived in order."""

    kind: str
    key: ChannelKey
    alignment: Alignment
    edits: list[Edit] = field(default_factory=list)

    def chars(self) -> int:
        return sum(max(e.a_end - e.a, e.b_end - e.b) for e in self.edits)

    def samples(self) -> list[str]:
        a, b = self.alignment.inner, self.alignment.outer
        return [clip(a[e.a : e.a_end] or b[e.b : e.b_end]) for e in self.edits[:5]]


def clip(text: str) -> str:
    return repr(text if len(text) <= 24 else text[:21] + "…")[1:-1]


def damages(pair: Pair) -> list[Damage]:
    """Damage of the channels that both hops have, in the order of the channels; told once a pair."""
    if "damages" not in pair.memo:
        pair.memo["damages"] = list(_damages(pair))
    found: list[Damage] = pair.memo["damages"]
    return found


def _damages(pair: Pair) -> Iterator[Damage]:
    if not pair.outer.streamed or not pair.inner.streamed or pair.outer.snapshots:
        return
    for key, alignment in pair.alignments.items():
        if not alignment.equal:
            yield from _classed(pair, key, alignment)


def _classed(pair: Pair, key: ChannelKey, alignment: Alignment) -> Iterator[Damage]:
    a, b = alignment.inner, alignment.outer
    if key.part.startswith("tool") and _same_json(a, b):
        return
    if a.strip() == b.strip():
        yield Damage("whitespace", key, alignment, alignment.of("lost", "foreign", "changed"))
        return
    edits = _without_open_ends(pair, alignment)
    edits = [e for e in edits if not (e.kind == "lost" and stands_elsewhere(pair, key, a[e.a : e.a_end]))]
    if not edits:
        return
    if b == mojibake(a) or (blind(a) == blind(b) and spoils(a, b)):
        yield Damage("encoding", key, alignment, edits)
        return
    same_words = a.split() == b.split()  # no two samples differ in their blanks alone
    if (
        pair.sameness != "same"
        and not same_words
        and not _in_step(alignment, _least(pair, key), FOLLOWED[pair.sameness])
    ):
        yield Damage("sampled", key, alignment, edits)
        return
    if len(a) == len(b) and Counter(a) == Counter(b):
        yield Damage("reorder", key, alignment, edits)  # not a character is gone or new: all that differs is the order
        return
    groups: dict[str, list[Edit]] = {}
    for edit in edits:
        groups.setdefault(_kind(edit, a, b), []).append(edit)
    if len(groups) > 1 and "duplicate" in groups and not any(_says(b, edit) for edit in groups["duplicate"]):
        groups.setdefault("rewrite", []).extend(groups.pop("duplicate"))  # a sign beside other changes is no echo
        groups["rewrite"].sort(key=lambda edit: edit.b)
    added, again = groups.get("rewrite", []), groups.get("duplicate", [])
    only = len(groups) == bool(added) + bool(again) and len(added) >= max(MIXED_PLACES, len(again))
    if only and alignment.share() > 0.999 and _own_events(pair, key, added):
        groups = {"interleave": added + again}
    other = pair.sameness == "different" and not same_words
    if other and len(groups) > 1 and added and by_words(alignment, added):
        groups = {"sampled": edits}  # it chose other words here and there: what is gone beside them is its choice too
    for kind in KINDS:
        if kind in groups:
            yield Damage(kind, key, alignment, groups[kind])


def by_words(alignment: Alignment, edits: list[Edit]) -> bool:
    """Whether all that is new are words: a second sample may choose them too, but masks nothing."""
    return all(WORDS.fullmatch(alignment.outer, e.b, e.b_end) for e in edits)


def _says(text: str, edit: Edit) -> bool:
    return any(char.isalnum() for char in text[edit.b : edit.b_end])


def _own_events(pair: Pair, key: ChannelKey, added: list[Edit]) -> bool:
    """Whether every added stretch fills whole pieces: events of their own, not text put into the hop's."""
    ends = {0, *pair.outer.texts[key].ends}
    return all(edit.b in ends and edit.b_end in ends for edit in added)


def _kind(edit: Edit, a: str, b: str) -> str:
    gone, added = a[edit.a : edit.a_end], b[edit.b : edit.b_end]
    if edit.kind == "moved":
        return "reorder"
    if edit.kind == "doubled":
        return "duplicate"
    if edit.kind == "lost":
        return "loss" if gone.strip() or _glues(a, edit) else "whitespace"
    if edit.kind == "foreign":
        return "rewrite" if added.strip() else "whitespace"
    if gone.split() == added.split():
        return "loss" if _runs_together(gone, added, b, edit) else "whitespace"
    if spoils(gone, added):
        return "encoding"
    if "".join(gone.split()) == "".join(added.split()):
        return "loss" if len(added) < len(gone) else "rewrite"
    return "loss" if _subsequence(added, gone) else "rewrite"


def _without_open_ends(pair: Pair, alignment: Alignment) -> list[Edit]:
    """Edits without the missing end of a hop that was cut, stopped or is still open (that is no damage of the text)."""
    edits = [e for e in alignment.edits if e.kind != "equal"]
    a, b = len(alignment.inner), len(alignment.outer)
    if not pair.outer.text_complete or alignment.inner.startswith(alignment.outer):
        while edits and edits[-1].kind in ("lost", "changed") and edits[-1].a_end == a:
            edits.pop()
    if not pair.inner.text_complete:
        while edits and edits[-1].kind in ("foreign", "doubled", "changed") and edits[-1].b_end == b:
            edits.pop()
    return edits


def _least(pair: Pair, key: ChannelKey) -> float:
    """How much of a short text must stand for it to be the same answer: less where another channel agrees whole, or
    where nothing says that these were two exchanges."""
    agree = any(other != key and found.equal for other, found in pair.alignments.items())
    return 0.4 if agree or pair.sameness == "unknown" else 0.8


def _in_step(alignment: Alignment, least: float, followed: int) -> bool:
    """Whether the outer text falls back into step with the inner one after the first difference."""
    edits = [e for e in alignment.edits if e.kind != "equal"]
    start = min(min(e.a, e.b) for e in edits)  # all is equal up to here, so that both texts count alike
    a, b = alignment.inner[start:], alignment.outer[start:]
    words_a, words_b = _words(a), _words(b)
    if words_a == words_b or alignment.share() > 0.999:
        return True
    if min(len(words_a), len(words_b)) and sum((words_a & words_b).values()) >= 0.95 * max(
        sum(words_a.values()), sum(words_b.values())
    ):
        return True
    if {e.kind for e in edits} == {"lost"} and sum(words_b.values()) >= followed:
        return True  # holes alone: another sample would say something of its own
    equal = sum(e.a_end - e.a for e in alignment.edits if e.kind == "equal" and e.a >= start)
    if equal >= SAME_TEXT * max(1, len(a)):
        return True
    return sum(words_a.values()) <= SHORT and alignment.share() >= least and not (words_b - words_a)


def _words(text: str) -> Counter[str]:
    start, words = 0, Counter[str]()
    for end in word_ends(text):
        word = text[start:end].strip()
        if word:
            words[word] += 1
        start = end
    return words


def _same_json(a: str, b: str) -> bool:
    try:
        return bool((json.loads(a) or {}) == (json.loads(b) or {}))  # no arguments: {} or null
    except ValueError:
        return False


def _glues(text: str, edit: Edit) -> bool:
    """Whether words, or two lines, run together for want of the blank that is lost."""
    before, after = text[edit.a - 1 : edit.a], text[edit.a_end : edit.a_end + 1]
    line = "\n" in text[edit.a : edit.a_end] and not (before + after).isspace() and before and after
    return bool(line) or (before.isalnum() and after.isalnum())


def _runs_together(gone: str, added: str, outer: str, edit: Edit) -> bool:
    """Whether a piece that lost its blanks now touches a word before or after it, or its line the line before."""
    if "\n" in gone and not any(char.isspace() for char in added + outer[edit.b - 1 : edit.b]) and edit.b:
        return gone[:1].isspace() or bool(outer[edit.b_end : edit.b_end + 1].strip())
    after = outer[edit.b_end : edit.b_end + 1].isalnum() and added[-1:].isalnum() and gone[-1:].isspace()
    before = outer[max(0, edit.b - 1) : edit.b].isalnum() and added[:1].isalnum() and gone[:1].isspace()
    return after or before


def _subsequence(part: str, whole: str) -> bool:
    rest = iter(whole)
    return all(char in rest for char in part)


def missing_channels(pair: Pair) -> list[ChannelKey]:
    """Channels with text at the inner hop that the outer one, which says it is whole, does not have at all."""
    inner, outer = pair.inner, pair.outer
    if not (outer.streamed and outer.text_complete) or outer.in_band:
        return []
    return [key for key, text in inner.texts.items() if key not in outer.texts and text.text.strip()]


def everything(view: View) -> str:
    return "".join(text.text for text in view.texts.values())
