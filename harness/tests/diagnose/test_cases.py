"""Every recorded case is right in symptom and in hop, and says it in the shape of the contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.diagnose.run import diagnose
from harness.tests.diagnose.cases import Case, every, misses

CASES = pytest.mark.parametrize("case", every(), ids=lambda case: case.id)


@CASES
def test_names_the_symptom_and_the_hop(case: Case) -> None:
    assert not (miss := misses(case.expect, diagnose(case.captures))), f"{case.title}: {miss}"


@CASES
def test_warns_at_most_where_no_user_is_hurt(case: Case) -> None:
    if case.expect["severity"] != "error":
        answer = diagnose(case.captures)
        assert answer.verdict.healthy, f"{case.title}: {answer.verdict.summary}"


@CASES
def test_fits_the_schema_and_explains_every_error(case: Case, answer_schema: Callable[[Any], None]) -> None:
    answer = diagnose(case.captures)
    answer_schema(answer.as_json())
    for finding in answer.findings:
        texts = (finding.summary, finding.cause or "", finding.fix or "")
        assert "(none)" not in "".join(texts), f"a figure is missing in {finding.code}: {texts}"
        assert finding.severity != "error" or (finding.cause and finding.fix), finding.code
