"""Durations, places and numbers."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.lab.params import Params, milliseconds


@pytest.mark.parametrize(
    ("text", "ms"), [("3s", 3000), ("250ms", 250), ("1m", 60_000), ("1.5s", 1500), (40, 40), ("0", 0)]
)
def test_durations_have_units_and_bare_numbers_are_milliseconds(text: object, ms: float) -> None:
    assert milliseconds(text) == ms


@pytest.mark.parametrize("text", ["soon", "-1s", "3 h", ""])
def test_what_is_no_duration_is_named(text: str) -> None:
    with pytest.raises(InputError, match="no duration"):
        milliseconds(text, "for")


@pytest.mark.parametrize(("value", "place"), [("20", 20), ("50%", 30), ("999", 60), ("0", 1), (7, 7)])
def test_places_count_from_one_and_stay_inside(value: object, place: int) -> None:
    assert Params({"at": value}).place("at", 1, 60) == place


def test_a_wrong_place_or_number_is_named() -> None:
    with pytest.raises(InputError, match="at=half"):
        Params({"at": "half"}).place("at", 1, 60)
    with pytest.raises(InputError, match="by=x"):
        Params({"by": "x"}).number("by", 1)
