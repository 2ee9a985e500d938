"""Log probabilities beside the wrong piece."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from harness.tests.diagnose.build import DONE, Answer, capture, chunk, codes, spaced, told

WORDS = ["one", "quick", "fox", "jumps", "over", "a", "lazy", "dog"]


def spoken(tokens: Sequence[str]) -> Answer:
    rows = []
    for word, token in zip(WORDS, tokens, strict=True):
        event = json.loads(chunk(word)[6:])
        event["choices"][0]["logprobs"] = {"content": [{"token": token, "logprob": -0.1}]}
        rows.append(b"data: " + json.dumps(event).encode() + b"\n\n")
    return told(capture(spaced([*rows, chunk(finish="stop"), DONE])))


@pytest.mark.parametrize("tokens", [["", *WORDS[:-1]], [*WORDS[1:], "."]], ids=["late", "early"])
def test_a_shift_by_one_is_told(tokens: list[str]) -> None:
    assert "rewrite.logprobs-shifted" in codes(spoken(tokens), "warning")


@pytest.mark.parametrize("tokens", [WORDS, ["x"] * len(WORDS)], ids=["right", "of no piece"])
def test_what_is_no_shift_is_not(tokens: list[str]) -> None:
    assert "rewrite.logprobs-shifted" not in codes(spoken(tokens))
