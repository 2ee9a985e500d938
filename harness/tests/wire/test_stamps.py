"""Reads of events."""

from __future__ import annotations

from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as st

from harness.wire.stamps import reads_of, times_of

RISING = st.lists(st.integers(0, 400), max_size=150).map(sorted)


@given(RISING, RISING)
def test_a_stop_belongs_to_the_first_read_that_reached_it(stops: list[int], ends: list[int]) -> None:
    expected = [min(bisect_left(ends, stop), len(ends) - 1) if ends else 0 for stop in stops]
    assert list(reads_of(stops, ends)) == expected


def test_times_are_those_of_the_reads() -> None:
    assert list(times_of([0, 0, 2], [1.0, 2.0, 3.0])) == [1.0, 1.0, 3.0]
    assert list(times_of([0, 0], [])) == [0.0, 0.0]
