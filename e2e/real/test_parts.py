"""Real proxies and gateways in the middle of a route: the verdict is the measured fact, row by row of the table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from e2e.real.bench import bench
from e2e.real.judge import Measured
from e2e.real.page import write
from e2e.real.row import LEAVES, STALL, Row
from e2e.real.table import ROWS
from harness.capture.format import dumps

SEEN_WITHIN_MS = 500.0


def parameter(row: Row) -> object:
    marks = [pytest.mark.matrix] if row.whole_matrix else []
    absent = [part for part in row.parts if not part.binary]
    if absent:
        marks.append(pytest.mark.skip(reason=f"{absent[0].name} is not installed: {absent[0].install}"))
    return pytest.param(row, id=row.title, marks=marks)


@pytest.fixture(scope="module")
def measured_row(request: pytest.FixtureRequest) -> Iterator[Callable[[Row], Measured]]:
    items = [item for item in request.session.items if isinstance(item, pytest.Function) and hasattr(item, "callspec")]
    wanted = [item.callspec.params["row"] for item in items if "row" in item.callspec.params]
    wanted = [row for row in wanted if all(part.binary for part in row.parts)]
    with bench(wanted) as measure:
        yield measure
        if os.environ.get("WRITE_DOCS"):
            write([(row, measure(row)) for row in wanted])


def told(measured: Measured, folder: Path) -> str:
    """What was measured, for the message of a test that fails; the captures are kept beside it."""
    taken = measured.taken
    for number, capture in enumerate([*taken.climbed, taken.outer, *([taken.emit] if taken.emit else [])]):
        (folder / f"{number}-{capture.hop}.{capture.tap}.capture.jsonl").write_bytes(dumps(capture))
    answers = {"ladder": measured.ladder, "same exchange": measured.same, "alone": measured.alone}
    lines = [f"{name}: {answer.verdict.summary}" for name, answer in answers.items() if answer]
    return "\n".join([*lines, f"{measured.bursts} bursts, delay {measured.delay_ms}, captures in {folder}"])


@pytest.mark.parametrize("row", [parameter(row) for row in ROWS])
def test_the_verdict_is_the_measured_fact(row: Row, measured_row: Callable[[Row], Measured], tmp_path: Path) -> None:
    measured = measured_row(row)
    part = measured.taken.outer.hop
    hop = {"": None, "engine": "engine", "part": part}[row.hop]
    for answer in (measured.ladder, measured.same):
        if answer is not None:
            verdict = answer.verdict
            if row.clumped and not row.symptom and (verdict.first_bad_hop, verdict.symptom) == (part, "burst"):
                continue
            assert (verdict.first_bad_hop, verdict.symptom) == (hop, row.symptom or None), told(measured, tmp_path)
            assert verdict.healthy is (not row.symptom), told(measured, tmp_path)
    if row.alone is not None:
        assert (measured.alone.verdict.symptom or "") == row.alone, told(measured, tmp_path)
    if measured.same is None:
        assert row.again, f"the lab has no record of the exchange\n{told(measured, tmp_path)}"
    elif row.upstream not in (STALL, LEAVES):
        hidden = [f for f in measured.same.findings if f.code == "truncation.laundered" and f.hop == part]
        assert bool(hidden) is row.laundered, told(measured, tmp_path)
    if row.warning:
        assert measured.ladder is not None
        assert row.warning in {finding.code for finding in measured.ladder.findings}, told(measured, tmp_path)
    if row.upstream == LEAVES and not row.symptom:
        assert measured.left_ms is not None and measured.left_ms < SEEN_WITHIN_MS, told(measured, tmp_path)
