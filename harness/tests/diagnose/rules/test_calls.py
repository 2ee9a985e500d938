"""A call that is told more often than it was made."""

from __future__ import annotations

import json

from harness.tests.diagnose.build import DONE, capture, chunk, codes, spaced, told


def calling(*calls: tuple[str, str]) -> list[bytes]:
    """Calls told whole, (id, city) each."""
    rows = [
        {
            "index": i,
            "id": ident,
            "type": "function",
            "function": {"name": "weather", "arguments": json.dumps({"city": city})},
        }
        for i, (ident, city) in enumerate(calls)
    ]
    return [*[chunk(tool_calls=[row]) for row in rows], chunk(finish="tool_calls"), DONE]


def test_one_call_under_three_indices() -> None:
    alone = told(capture(spaced(calling(("c1", "Oslo"), ("c1", "Oslo"), ("c1", "Oslo")))))
    assert "duplicate.call-id" in codes(alone, "error")


def test_one_call_told_again_under_new_ids() -> None:
    pair = [
        capture(spaced(calling(("c1", "Oslo")))),
        capture(spaced(calling(("x", "Oslo"), ("y", "Oslo"))), hop="gateway"),
    ]
    assert "duplicate.call" in codes(told(*pair), "error")


def test_two_calls_with_the_same_arguments_at_both_hops() -> None:
    twice = spaced(calling(("c1", "Oslo"), ("c2", "Oslo")))
    assert told(capture(twice), capture(twice, hop="gateway")).verdict.healthy


def test_another_exchange_may_call_more() -> None:
    once, twice = spaced(calling(("c1", "Oslo"))), spaced(calling(("c2", "Oslo"), ("c3", "Oslo")))
    found = told(capture(once, exchange="a"), capture(twice, hop="gateway", exchange="b"))
    assert "duplicate.call" not in codes(found)
