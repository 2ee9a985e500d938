"""Clocks that are set while they stamp: told as a fact, and nobody is blamed for it."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from harness.capture.model import Capture, End
from harness.diagnose.sane import STEPPED, sane
from harness.tests.diagnose.build import answer, capture, errors, numbered, spaced, told

GOOD = capture(spaced(answer(numbered(40))))


def stepped(at: int, back_ms: float) -> Capture:
    """The good capture, its clock set back by so much before read ``at``."""
    times = array("d", [t - (back_ms if read >= at else 0.0) for read, t in enumerate(GOOD.times)])
    assert GOOD.end is not None
    return replace(GOOD, times=times, end=End(GOOD.end.t - back_ms, "complete"))


@pytest.mark.parametrize("back_ms", [30.0, 700.0])
def test_a_clock_set_back_is_told_and_no_fault(back_ms: float) -> None:
    answered = told(stepped(20, back_ms))
    assert answered.verdict.healthy is True and not errors(answered)
    (found,) = [finding for finding in answered.findings if finding.code == "malformed.stamps"]
    assert found.severity == "info" and found.evidence["read"] == 20 and found.evidence["count"] == 1
    assert found.evidence["most_ms"] == pytest.approx(back_ms - 20, abs=0.1)


def test_the_gaps_behind_a_step_stay_what_they_were() -> None:
    fixed = sane(stepped(20, 700.0))
    gaps = [round(b - a, 6) for a, b in zip(fixed.times, fixed.times[1:], strict=False)]
    assert gaps == [20.0] * 19 + [0.0] + [20.0] * (len(gaps) - 20)
    assert fixed.end is not None and fixed.end.t == fixed.times[-1] + 1


def test_less_than_a_millisecond_is_rounding() -> None:
    times = array("d", GOOD.times)
    times[7] = times[6] - 0.4
    fixed = sane(replace(GOOD, times=times))
    assert STEPPED not in fixed.meta and fixed.times[7] == fixed.times[6] and fixed.times[8:] == GOOD.times[8:]


def test_good_stamps_stay_as_they_are() -> None:
    assert sane(GOOD) is GOOD
