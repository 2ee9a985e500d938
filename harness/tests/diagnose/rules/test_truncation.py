"""A choice that is left without its end."""

from __future__ import annotations

import pytest

from harness.tests.diagnose.build import DONE, capture, chunk, codes, errors, spaced, told

WORDS = ["one ", "two ", "three ", "four "]


def both(*last: bytes) -> list[bytes]:
    said = [chunk(word, index=index) for word in WORDS for index in (0, 1)]
    return [*said, chunk(index=1, finish="stop"), chunk("five ", index=0), *last]


def test_a_choice_that_was_still_speaking_is_cut() -> None:
    found = told(capture(spaced(both())))
    assert errors(found) == {"truncation"} and "truncation.choice-cut" in codes(found, "error")


@pytest.mark.parametrize("last", [(chunk(index=0, finish="stop"),), (DONE,)], ids=["its own finish", "the terminator"])
def test_a_choice_with_an_end_is_whole(last: tuple[bytes, ...]) -> None:
    assert not errors(told(capture(spaced(both(*last)))))


def test_one_finish_for_all_choices_at_the_very_end_is_no_cut() -> None:
    said = [chunk(word, index=index) for word in WORDS for index in (0, 1)]
    assert not errors(told(capture(spaced([*said, chunk(index=0, finish="stop")]))))
