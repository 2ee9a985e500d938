"""Sentences from figures: long times in seconds, one of a thing in the singular, lists cut short."""

from __future__ import annotations

import pytest

from harness.phrase import fill, lasting
from harness.tests.diagnose.build import answer, capture, numbered, spaced, told


@pytest.mark.parametrize(
    ("ms", "said"), [(3007, "3.01 s"), (1000.0, "1.00 s"), (12_340, "12.3 s"), (61_234, "61.2 s"), (300_900, "301 s")]
)
def test_a_long_time_is_told_in_seconds(ms: float, said: str) -> None:
    assert lasting(ms) == said
    assert fill("after {cut_ms} ms, then", {"cut_ms": ms}) == f"after {said}, then"


def test_a_short_time_stays_in_milliseconds() -> None:
    assert fill("{gap_ms} ms ({usual_ms} ms)", {"gap_ms": 999.9, "usual_ms": 20}) == "999.9 ms (20 ms)"


@pytest.mark.parametrize(
    ("count", "said"), [(1, "1 event, 1 content event, 1 switch"), (2, "2 events, 2 content events, 2 switches")]
)
def test_one_of_a_thing_is_singular(count: int, said: str) -> None:
    assert fill("{n} events, {n} content events, {n} switches", {"n": count}) == said


def test_a_list_shows_six_and_a_missing_figure_is_said() -> None:
    assert fill("{values}: {other}", {"values": [1, 2, 3, 4, 5, 6, 7]}) == "1, 2, 3, 4, 5, 6, …: (none)"


def test_a_stall_reads_as_english() -> None:
    reads = spaced(answer(numbered(12)))
    late = [(t + (3007.0 if i > 5 else 0.0), data) for i, (t, data) in enumerate(reads)]
    found = next(f for f in told(capture(late)).findings if f.code == "stall.gap")
    assert found.summary == "3.03 s without content after event 5; the usual gap is 20 ms."
    assert "Nothing at all arrived" in (found.cause or "")
    beat = [*late[:6], (late[5][0] + 1500, b": ping\n\n"), *late[6:]]
    told_beat = next(f for f in told(capture(beat)).findings if f.code == "stall.gap")
    assert "Only 1 heartbeat came meanwhile" in (told_beat.cause or "")
