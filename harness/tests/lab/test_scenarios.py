"""Scenario files and knobs."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.lab.markers import read_markers
from harness.lab.registry import faults
from harness.lab.scenarios import built_in, load

FIRST = ["lab-steady", "lab-stall", "lab-truncate", "lab-reset", "lab-reorder"]


def test_the_promised_models_come_first_and_all_say_what_they_do() -> None:
    assert list(built_in())[:5] == FIRST
    assert all(s.about for s in built_in().values())


def test_every_fault_that_a_built_in_model_names_exists() -> None:
    assert {call.name for s in built_in().values() for call in s.faults} <= set(faults())


def test_knobs_change_a_scenario_and_faults_are_added() -> None:
    marked = built_in()["lab-stall"].marked(read_markers("[[lab events=30 rate=100 text=chinese reset at=5]]"))
    assert (marked.events, marked.rate, marked.text) == (30, 100.0, "chinese")
    assert [c.name for c in marked.faults] == ["stall", "reset"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[a", "no TOML"),
        ("a = 1", "no table"),
        ("[a]\nspeed = 2", "no setting 'speed'"),
        ("[a]\ntext = 'klingon'", "klingon"),
        ("[a]\nrate = 0", "out of bounds"),
        ("[a]\nrate = 'x'", "no number"),
        ("[a]\nfaults = [{at = 3}]", "no name"),
        ("[a]\nttft = 'soon'", "soon"),
    ],
)
def test_a_wrong_file_is_told_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        load(text, "mine.toml")


def test_a_file_of_ones_own_makes_models() -> None:
    found = load('[slow]\nrate = 2\nfaults = [{ fault = "stall", at = 3, for = "1s" }]', "mine.toml")
    assert found["slow"].rate == 2.0
    assert found["slow"].faults[0].params == {"at": 3, "for": "1s"}
