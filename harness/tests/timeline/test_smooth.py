"""Evenness over two taps and against deadlines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.timeline.smooth import delay_variation, fluidity, jitter, merged_share

TIMES = st.lists(st.floats(0, 1000), min_size=2, max_size=30).map(sorted)


def test_jitter_is_that_of_the_rfc() -> None:
    inner, outer = [0.0, 20.0, 40.0, 60.0], [5.0, 25.0, 61.0, 65.0]
    first = 0.0
    second = first + (16.0 - first) / 16
    third = second + (16.0 - second) / 16
    assert jitter(inner, outer) == pytest.approx(third)


@given(TIMES, st.floats(-1e6, 1e6))
def test_a_clock_offset_changes_neither_jitter_nor_delay_variation(inner: list[float], offset: float) -> None:
    outer = [t + offset for t in inner]
    assert jitter(inner, outer) == pytest.approx(0.0, abs=1e-6)
    assert delay_variation(inner, outer) == pytest.approx([0.0] * len(inner), abs=1e-6)


def test_delay_variation_counts_from_the_least_delay() -> None:
    assert delay_variation([0.0, 10.0, 20.0], [100.0, 113.0, 121.0]) == [0.0, 3.0, 1.0]


def test_too_little_to_compare_has_no_figure() -> None:
    assert (jitter([1.0], [2.0]), merged_share([1.0], [2.0]), delay_variation([], [])) == (None, None, [])
    with pytest.raises(ValueError, match="same events"):
        jitter([1.0], [1.0, 2.0])


def test_the_merged_share_tells_what_came_together_that_had_been_apart() -> None:
    inner, outer = [0.0, 20.0, 40.0, 40.2, 60.0], [50.0, 50.1, 70.0, 70.0, 70.1]
    assert merged_share(inner, outer) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("arrivals", "expected"),
    [
        ([100.0, 120.0, 140.0], 1.0),  # each in time
        ([100.0, 110.0, 138.0], 1.0),  # 10 ms saved, 8 of them used
        ([100.0, 125.0, 145.0], 2 / 3),  # one late, the next counted from it
        ([150.0, 170.0], 1 / 2),  # the first late
        ([], None),
    ],
)
def test_fluidity_counts_deadlines_met_with_saved_slack(arrivals: list[float], expected: float | None) -> None:
    assert fluidity(arrivals, first_ms=100.0, next_ms=20.0) == expected
