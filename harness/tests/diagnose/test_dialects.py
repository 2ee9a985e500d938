"""The recorded cases in other dialects, at all hops or at the outermost alone, are judged alike."""

from __future__ import annotations

import pytest

from harness.diagnose.run import diagnose
from harness.tests.diagnose.cases import Case, both, misses
from harness.tests.diagnose.dialects import WIRES, translatable, translated

PLAIN = [case for case in both() if case.expect["severity"] != "warning" and translatable(case.captures)]


def test_most_cases_can_be_told_in_other_dialects() -> None:
    assert len(PLAIN) > 50


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: case.id)
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("which", ["all", "outer"])
def test_the_dialect_does_not_matter(which: str, wire: str, case: Case) -> None:
    answer = diagnose(translated(case.captures, wire, which))
    assert not (miss := misses(case.expect, answer)), f"{case.title}: {miss}"
