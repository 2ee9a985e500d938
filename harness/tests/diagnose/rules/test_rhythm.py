"""Clumps of another answer than the inner hop's."""

from __future__ import annotations

from harness.tests.diagnose.build import answer, capture, codes, numbered, spaced, told

EVEN = capture(spaced(answer(numbered(60, "a")), gap=60), exchange="a")


def clumped(size: int) -> list[tuple[float, bytes]]:
    events = answer(numbered(60, "b"))
    return [(100.0 + 60 * size * (1 + i // size), event) for i, event in enumerate(events)]


def test_a_buffer_shows_in_the_rhythm_of_another_answer() -> None:
    found = told(EVEN, capture(clumped(20), hop="gateway", exchange="b"))
    assert "burst.rhythm-apart" in codes(found, "error") and found.verdict.first_bad_hop == "gateway"


def test_small_clumps_and_an_inner_hop_in_clumps_prove_nothing() -> None:
    assert "burst.rhythm-apart" not in codes(told(EVEN, capture(clumped(4), hop="gateway", exchange="b")))
    both = told(capture(clumped(20), exchange="a"), capture(spaced(answer(numbered(60, "c")), gap=0.1), hop="gateway"))
    assert "burst.rhythm-apart" not in codes(both)
