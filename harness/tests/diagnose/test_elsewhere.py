"""A hop that makes thinking a field of its own, or takes marks out, has lost nothing."""

from __future__ import annotations

import re

from harness.tests.diagnose.build import answer, capture, chunk, codes, errors, spaced, told

THOUGHT = re.findall(r"\w+ ", "rain fell on the tin roof since four and the goats stayed in ")
SPOKEN = re.findall(r"\w+ ", "bring them hay before noon then open the lower gate for the herd and wait ")
MARK = "[67e517e7a3b1c2d3e4f5a6b7](CITE) "


def test_thinking_made_a_field_is_no_loss() -> None:
    inner = capture(spaced(answer(["<think>", *THOUGHT[:4], "</think>", *SPOKEN])))
    moved = [chunk(reasoning_content=word) for word in THOUGHT[:4]] + answer(SPOKEN, role=False)
    found = told(inner, capture(spaced(moved, start=104), hop="gateway"))
    assert not errors(found) and found.verdict.healthy


def test_thinking_that_is_gone_altogether_is_a_loss() -> None:
    inner = capture(spaced(answer(["<think>", *THOUGHT[:4], "</think>", *SPOKEN])))
    found = told(inner, capture(spaced(answer(SPOKEN), start=104), hop="gateway"))
    assert errors(found) == {"loss"}


def test_marks_of_citations_taken_out_are_no_loss() -> None:
    inner = capture(spaced(answer([*SPOKEN[:5], MARK, *SPOKEN[5:]])))
    outer = capture(spaced(answer(SPOKEN), start=104), hop="gateway")
    assert not errors(told(inner, outer))


def test_a_word_taken_out_is_a_loss_however_it_is_bracketed() -> None:
    inner = capture(spaced(answer([*SPOKEN[:5], "[important](NOTE) ", *SPOKEN[5:]])))
    outer = capture(spaced(answer(SPOKEN), start=104), hop="gateway")
    assert "loss.text" in codes(told(inner, outer), "error")
