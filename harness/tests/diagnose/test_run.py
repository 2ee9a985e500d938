"""Which captures are held against each other."""

from __future__ import annotations

from dataclasses import replace

from harness.tests.diagnose.build import answer, capture, errors, numbered, spaced, told

INNER = capture(spaced(answer(numbered())))
LATE = capture(spaced(answer(numbered()), start=5_000, gap=20), hop="gateway")


def test_a_hop_that_knows_no_repeats_belongs_to_the_only_repeat() -> None:
    for inner, outer in ((INNER, replace(LATE, repeat=0)), (replace(INNER, repeat=3), LATE)):
        found = told(inner, outer)
        assert errors(found) == {"first-byte"} and found.verdict.first_bad_hop == "gateway"


def test_one_hop_recorded_with_and_without_a_repeat_is_two_exchanges() -> None:
    found = told(INNER, replace(INNER, repeat=0), replace(LATE, repeat=0))
    assert errors(found) == {"first-byte"}
    assert {finding.repeat for finding in found.findings if finding.severity == "error"} == {0}


def test_several_repeats_stay_apart() -> None:
    found = told(*(replace(c, repeat=n) for n in (0, 1) for c in (INNER, LATE)))
    assert [f.repeat for f in found.findings if f.severity == "error"] == [0, 1]
