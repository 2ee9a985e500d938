"""The kinds of difference between a streamed text and the whole one are told apart."""

from __future__ import annotations

import pytest

from harness.runs.unlike import unlike

WORDS = [f"word{n}" for n in range(60)]
WHOLE = " ".join(WORDS)
STORY = "the quick brown fox jumps over the lazy dog and runs far away into the dark green forest at night"


def text(words: list[str]) -> str:
    return " ".join(words)


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        (WHOLE, "equal"),
        (text([*WORDS[:20], *WORDS[24:28], *WORDS[20:24], *WORDS[28:]]), "reorder"),
        (text([*WORDS[:20], *WORDS[30:]]), "loss"),
        (text([*WORDS[:20], *WORDS[14:20], *WORDS[20:]]), "duplicate"),
        (text([*WORDS[:20], "brown fox jumps over", *WORDS[20:]]), "mixture"),
        (text(WORDS[:40]), "truncation"),
        (text([*WORDS[:20], "CENSORED", *WORDS[21:]]), "rewrite"),
        (text([*WORDS[:5], *STORY.upper().split(), *STORY.title().split()]), "sampling"),
    ],
    ids=["equal", "reorder", "loss", "duplicate", "mixture", "truncation", "rewrite", "sampling"],
)
def test_kinds(seen, kind):
    assert unlike(seen, WHOLE, [STORY, WHOLE]) == kind


def test_a_way_that_samples_differs_without_damage_but_its_disorder_is_still_told():
    late = text([*WORDS[:50], "and", "then", "it", "ended"])
    assert unlike(late, WHOLE, samples=True) == "sampling"
    swapped = text([*WORDS[:20], *WORDS[24:28], *WORDS[20:24], *WORDS[28:]])
    assert unlike(swapped, WHOLE, samples=True) == "reorder"
