"""Percentiles by linear interpolation."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.timeline.percentile import percentile

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40)


@pytest.mark.parametrize(
    ("q", "expected"), [(0, 10.0), (25, 17.5), (50, 25.0), (95, 38.5), (99, 39.7), (100, 40.0), (-1, 10.0), (101, 40.0)]
)
def test_between_two_values_the_line_decides(q: float, expected: float) -> None:
    assert percentile([40.0, 10.0, 30.0, 20.0], q) == pytest.approx(expected)


def test_one_value_is_every_percentile_and_none_has_none() -> None:
    assert (percentile([7.0], 1), percentile([7.0], 99), percentile([], 50)) == (7.0, 7.0, None)


@given(VALUES)
def test_it_agrees_with_the_standard_library(values: list[float]) -> None:
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    for q in (1, 50, 95, 99):
        assert percentile(values, q) == pytest.approx(cuts[q - 1], abs=1e-6)
