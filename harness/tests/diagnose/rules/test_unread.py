"""An inner dialect that the hop in front does not read."""

from __future__ import annotations

import json

from harness.tests.diagnose.build import DONE, answer, capture, chunk, codes, numbered, spaced, told

EMPTY = [chunk("", role="assistant"), chunk(finish="stop"), DONE]


def agent(*texts: str) -> list[bytes]:
    rows = [{"event": "piece", "answer": text} for text in texts] + [{"event": "over"}]
    return [f"data: {json.dumps(row)}\n\n".encode() for row in rows]


def test_an_empty_end_over_unread_words_is_a_loss() -> None:
    found = told(capture(spaced(agent("a", "b", "c")), wire="other"), capture(spaced(EMPTY), hop="gateway"))
    assert "loss.unread" in codes(found, "error") and found.verdict.first_bad_hop == "gateway"


def test_words_that_were_read_or_never_there_are_not() -> None:
    whole = capture(spaced(answer(numbered(3))), hop="gateway")
    assert "loss.unread" not in codes(told(capture(spaced(agent("a", "b", "c")), wire="other"), whole))
    assert "loss.unread" not in codes(
        told(capture(spaced(agent()), wire="other"), capture(spaced(EMPTY), hop="gateway"))
    )
