"""Holes are told from another sample by what the outer text says of its own."""

from __future__ import annotations

import re

from harness.tests.diagnose.build import answer, capture, codes, errors, ollama, spaced, told

WORDS = re.findall(r"\w+ ", "the old ferry left its harbour before dawn and nobody on that grey quay saw ")
RECORDS = [ollama(word) for word in WORDS]
END = [ollama(done=True, done_reason="stop")]


def test_most_of_the_middle_lost_is_a_loss_where_the_end_is_in_step() -> None:
    inner = capture(spaced([*RECORDS, *END]), wire="ollama")
    outer = capture(spaced([*RECORDS[:2], *RECORDS[10:], *END], start=104), hop="gateway", wire="ollama")
    assert errors(told(inner, outer)) == {"loss"}


def test_an_end_in_other_words_is_another_sample() -> None:
    other = [ollama(word) for word in re.findall(r"\w+ ", "keepers of the light had gone home long ago that week ")]
    inner = capture(spaced([*RECORDS, *END]), wire="ollama")
    outer = capture(spaced([*RECORDS[:4], *other, *END], start=104), hop="gateway", wire="ollama")
    assert not errors(told(inner, outer)) and "rewrite.sampled" in codes(told(inner, outer))


def test_a_shorter_way_to_the_same_last_words_may_be_another_sample() -> None:
    inner = capture(spaced(answer(WORDS, ident="chatcmpl-aaaaaaaaaaaaaaaa")), exchange="one")
    short = answer([*WORDS[:3], *WORDS[-3:]], ident="chatcmpl-bbbbbbbbbbbbbbbb")
    outer = capture(spaced(short, start=104), hop="gateway", exchange="two")
    assert not errors(told(inner, outer))
