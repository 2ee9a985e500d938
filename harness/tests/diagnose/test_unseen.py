"""Cases imagined after public fault reports, each expectation fixed by the contract before it was run.

They are found by themselves: each module of ``unseen/`` with a table ``CASES``.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from harness.diagnose.run import diagnose
from harness.tests.diagnose.cases import misses
from harness.tests.diagnose.unseen.kit import Unseen

CASES: dict[str, Unseen] = {
    f"{path.stem}-{name}": case
    for path in sorted((Path(__file__).parent / "unseen").glob("*.py"))
    for name, case in getattr(import_module(f"harness.tests.diagnose.unseen.{path.stem}"), "CASES", {}).items()
}


@pytest.mark.parametrize("name", CASES)
def test_an_unseen_case_gets_its_symptom_and_its_hop(name: str, answer_schema: Callable[[Any], None]) -> None:
    case = CASES[name]
    answer = diagnose(case.captures)
    assert not (miss := misses(case.expect, answer)), miss
    answer_schema(answer.as_json())
    if case.severity != "error":
        assert answer.verdict.healthy, answer.verdict.summary


def test_there_are_healthy_ones_and_warnings_among_them() -> None:
    kinds = [case.severity for case in CASES.values()]
    assert kinds.count("none") >= 25 and kinds.count("warning") >= 12
