"""How sure a verdict is: few events and gaps below the clock bound prove little, and ``needs`` says what would."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.capture.model import Capture, Clock
from harness.tests.diagnose.build import DONE, answer, capture, chunk, numbered, spaced, told

WORDS = numbered(20)


def on(clock: str, uncertain: float, shown: Capture) -> Capture:
    return replace(shown, clock=Clock(clock, "monotonic", 0.001, 0.0, uncertain), sent_at="2026-11-30T12:00:00Z")


def few(count: int, late: float) -> list[tuple[float, bytes]]:
    """So many pieces, the last one late, with a whole end."""
    pieces = [(100.0 + 20 * i + (late if i == count - 1 else 0.0), chunk(f"w{i} ")) for i in range(count)]
    return [*pieces, (pieces[-1][0] + 20, chunk(finish="stop")), (pieces[-1][0] + 21, DONE)]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("late", [0.0, 4000.0, 12_000.0])
def test_no_word_on_delay_is_certain_below_three_events(count: int, late: float) -> None:
    alone = told(capture(few(count, late)))
    behind = told(capture(few(count, 0.0)), capture(few(count, late), hop="proxy"))
    for found in (alone, behind):
        assert found.verdict.confidence == "likely"
        assert "fewer than 3 events" in (found.verdict.needs or "")


def test_a_swap_of_two_pieces_is_not_certain() -> None:
    pieces = [chunk("one stone "), chunk("and the sand ")]
    inner = capture(spaced([*pieces, chunk(finish="stop"), DONE]))
    outer = capture(spaced([*pieces[::-1], chunk(finish="stop"), DONE]), hop="gateway")
    assert told(inner, outer).verdict.confidence != "certain"


@pytest.mark.parametrize(("bound", "sure"), [(0.0, "certain"), (50.0, "certain"), (30_000.0, "likely")])
def test_gaps_below_the_clock_bound_are_not_certain(bound: float, sure: str) -> None:
    reads = spaced(answer(WORDS), gap=100.0)
    inner = on("a", bound, replace(capture(reads), exchange="one"))
    outer = on("b", bound, replace(capture([(2600.0, b"".join(d for _, d in reads))], hop="proxy"), exchange="one"))
    verdict = told(inner, outer).verdict
    assert (verdict.healthy, verdict.symptom, verdict.confidence) == (False, "burst", sure)
    assert ("clocks that agree" in (verdict.needs or "")) == (sure == "likely")


CUT = spaced(answer(WORDS, finish=None, done=False))
DOUBTFUL = {
    "a gateway alone": [capture(CUT, hop="gateway", end="truncated")],
    "an engine alone": [capture(CUT, end="truncated")],
    "two exchanges": [
        capture(spaced(answer(WORDS)), exchange="one"),
        capture(spaced(answer([*WORDS[:9], WORDS[10], WORDS[9], *WORDS[11:]])), exchange="two", hop="gateway"),
    ],
    "an open end": [capture(CUT, hop="gateway", end=None)],
    "nothing reached": [capture([], hop="gateway", status=None, end="reset", detail="connection refused", end_ms=3)],
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_doubt_says_what_would_settle_it(name: str) -> None:
    verdict = told(*DOUBTFUL[name]).verdict
    assert len((verdict.needs or "").split()) > 5
    hop = DOUBTFUL[name][-1].hop
    assert hop in (verdict.needs or "")


def test_a_whole_comparison_needs_nothing() -> None:
    found = told(capture(spaced(answer(WORDS))), capture(CUT, hop="gateway", end="truncated"))
    assert (found.verdict.confidence, found.verdict.needs) == ("certain", None)
