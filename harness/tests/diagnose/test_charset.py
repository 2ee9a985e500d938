"""What a wrong decoding spoils, and what only looks like it."""

from __future__ import annotations

import pytest

from harness.diagnose.charset import mojibake, spoils, unspoilt
from harness.tests.diagnose.build import answer, capture, codes, spaced, told

WORDS = ["How ", "does ", "a ", "wheel ", "work", "?", " Slowly ", "and ", "with ", "water."]


def test_mojibake_and_back() -> None:
    assert mojibake("Zürich") == "ZÃ¼rich"
    assert unspoilt(mojibake("Zürich, Köln")) == "Zürich, Köln"
    assert unspoilt("plain") is None


@pytest.mark.parametrize("told", ["Z?rich", "Z??rich", "Z\ufffdrich", "ZÃ¼rich"])
def test_signs_in_place_of_a_character_are_spoilt(told: str) -> None:
    assert spoils("Zürich", told)


@pytest.mark.parametrize(("text", "told"), [("work?", "work??"), ("so!", "so?"), ("Zürich?", "Zürich??")])
def test_question_marks_alone_spoil_nothing(text: str, told: str) -> None:
    assert not spoils(text, told)


def test_a_question_mark_told_twice_is_a_duplicate() -> None:
    twice = [*WORDS[:6], "?", *WORDS[6:]]
    found = told(capture(spaced(answer(WORDS))), capture(spaced(answer(twice), start=104), hop="gateway"))
    assert not [code for code in codes(found) if code.startswith("encoding")]
