"""Two tellings of one text: every edit is named for what it is, and all of both texts is accounted for."""

from __future__ import annotations

import random

import pytest

from harness.timeline.align import Alignment, align
from harness.timeline.units import word_ends

TEXT = "the river runs down to the sea and the sea runs up to the river again, over and over"


def ends(pieces: list[str]) -> list[int]:
    out, at = [], 0
    for piece in pieces:
        at += len(piece)
        out.append(at)
    return out


def by_pieces(inner: list[str], outer: list[str]) -> Alignment:
    return align("".join(inner), "".join(outer), ends(inner), ends(outer))


def kinds(alignment: Alignment) -> set[str]:
    return {edit.kind for edit in alignment.edits if edit.kind != "equal"}


PIECES = [f"{word} " for word in TEXT.split()]


def test_equal_texts_are_one_block_however_they_are_chunked() -> None:
    found = align(TEXT, TEXT, [3, len(TEXT)], [len(TEXT)])
    assert found.equal
    assert [tuple(edit) for edit in found.edits] == [("equal", 0, len(TEXT), 0, len(TEXT))]
    assert found.outer_offset(17) == 17


@pytest.mark.parametrize("at", range(1, len(PIECES) - 2))
def test_each_edit_has_its_name_at_every_place(at: int) -> None:
    swapped = [*PIECES[:at], PIECES[at + 1], PIECES[at], *PIECES[at + 2 :]]
    assert kinds(by_pieces(PIECES, PIECES[:at] + PIECES[at + 1 :])) == {"lost"}
    assert kinds(by_pieces(PIECES, PIECES[: at + 1] + PIECES[at:])) == {"doubled"}
    assert kinds(by_pieces(PIECES, swapped)) == {"moved"}
    assert kinds(by_pieces(PIECES, [*PIECES[:at], "QUX ", *PIECES[at:]])) == {"foreign"}
    assert kinds(by_pieces(PIECES, [*PIECES[:at], "QUX ", *PIECES[at + 1 :]])) == {"changed"}


def test_a_retry_that_tells_the_beginning_again_is_doubled() -> None:
    assert kinds(by_pieces(PIECES, PIECES[:7] + PIECES)) == {"doubled"}


def test_words_are_the_units_where_chunking_differs() -> None:
    chunks = [TEXT[i : i + 7] for i in range(0, len(TEXT), 7)]
    lossy = TEXT.replace("down ", "", 1)
    found = align(TEXT, lossy, ends(chunks), [len(lossy)])
    assert kinds(found) == {"lost"}
    assert "".join(found.inner[e.a : e.a_end] for e in found.of("lost")).strip() == "down"


def test_chinese_is_aligned_by_characters() -> None:
    found = align("河流从山上把沙子带到平原", "河流从山把沙子带到平原")
    assert [found.inner[e.a : e.a_end] for e in found.of("lost")] == ["上"]


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_left_unaccounted_for(seed: int) -> None:
    """Each outer character stands in exactly one edit, and so does each inner one."""
    rng = random.Random(seed)
    outer = list(PIECES)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(outer))
        outer = rng.choice(
            (
                outer[:at] + outer[at + 1 :],
                outer[:at] + outer[at : at + 1] + outer[at:],
                [*outer[:at], "QUX ", *outer[at:]],
            )
        ) or ["x "]
        rng.random() < 0.3 and rng.shuffle(outer)
    found = by_pieces(PIECES, outer)
    assert sum(e.b_end - e.b for e in found.edits) == len(found.outer)
    assert sum(e.a_end - e.a for e in found.edits) == len(found.inner)


def test_long_texts_with_damage_stay_linear() -> None:
    inner = [f"w{i} " for i in range(30_000)]
    outer = [piece for i, piece in enumerate(inner) if i % 997 != 500]
    outer[9000], outer[9001] = outer[9001], outer[9000]
    found = by_pieces(inner, outer)
    assert kinds(found) <= {"lost", "moved"}
    assert len(found.of("lost")) == 30
    assert found.share() > 0.99


def test_words_end_where_people_think() -> None:
    text = "don't stop, 河流 end"
    parts, at = [], 0
    for end in word_ends(text):
        parts.append(text[at:end])
        at = end
    assert parts == ["don't", " stop", ",", " 河", "流", " end"]
