"""Numbers of a text: found by where letters begin, in time that grows with the text and not with its square."""

from __future__ import annotations

from time import process_time

from harness.diagnose.numerals import NUMBERED, numbers
from harness.tests.diagnose.build import numbered


def test_stems_are_whole_words_of_letters() -> None:
    assert [hit.groups() for hit in NUMBERED.finditer("t1 ab12c3 _x4 77 é5 第6")] == [
        ("t", "1"), ("ab", "12"), ("c", "3"), ("x", "4"), ("", "77"), ("é", "5"), ("第", "6"),
    ]  # fmt: skip


def test_a_long_word_behind_a_count_costs_no_more_than_its_length() -> None:
    before = process_time()
    found = numbers("".join(numbered()) + "x" * 300_000, 0.9, 8)
    assert [number.value for number in found] == list(range(1, 21))
    assert process_time() - before < 5.0  # its square took half an hour
