"""Cases imagined after public fault reports, each expectation fixed by the contract before it was run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.diagnose.run import diagnose
from harness.tests.diagnose.cases import misses
from harness.tests.diagnose.unseen import (
    agents,
    between,
    breaks,
    calm,
    clocks,
    crossed,
    delays,
    doors,
    edges,
    engine_faults,
    engine_oddities,
    gates,
    gateway_dialects,
    gateway_faults,
    gateway_oddities,
    legal,
    marks_leaked,
    marks_meant,
    more,
    nodes,
    refusals,
    relay_faults,
    relay_oddities,
    rest,
    text,
    tongues,
    variants,
    wire,
    wishes_kept,
    wishes_missed,
)
from harness.tests.diagnose.unseen.kit import Unseen

CASES: dict[str, Unseen] = {
    f"{part.__name__.rpartition('.')[2]}-{name}": case
    for part in (
        delays, breaks, text, wire, more, rest, legal,
        engine_oddities, engine_faults, gateway_oddities, gateway_faults, gateway_dialects,
        relay_oddities, relay_faults, tongues, refusals, nodes, marks_meant, marks_leaked, wishes_kept, wishes_missed,
        calm, between, gates, edges, crossed, agents, clocks, doors, variants,
    )
    for name, case in part.CASES.items()
}  # fmt: skip


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
