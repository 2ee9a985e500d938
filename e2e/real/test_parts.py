"""Real proxies and gateways in the middle of a route: the verdict is the measured fact, row by row of the table."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from e2e.real.bench import Bench, Measured
from e2e.real.page import write
from e2e.real.row import LEAVES, STALL, Row
from e2e.real.sources import scenarios
from e2e.real.table import ROWS
from harness.capture.format import dumps
from harness.lab.server import running as lab_running

pytestmark = pytest.mark.asyncio(loop_scope="session")
SEEN_WITHIN_MS = 500.0


def parameter(row: Row) -> object:
    marks = [pytest.mark.matrix] if row.whole_matrix else []
    absent = [part for part in row.parts if not part.binary]
    if absent:
        marks.append(pytest.mark.skip(reason=f"{absent[0].name} is not installed: {absent[0].install}"))
    return pytest.param(row, id=row.title, marks=marks)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bench(request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    items = [item for item in request.session.items if isinstance(item, pytest.Function) and hasattr(item, "callspec")]
    wanted = [item.callspec.params["row"] for item in items if "row" in item.callspec.params]
    wanted = [row for row in wanted if all(part.binary for part in row.parts)]
    async with lab_running(scenarios=scenarios()) as lab:
        measured = Bench(lab, wanted)
        yield measured
        done = [(row, await measured.result(row)) for row in wanted] if os.environ.get("WRITE_DOCS") else []
        await measured.close()
    if done:
        write(done)


def said(measured: Measured, folder: Path) -> str:
    """What was measured, for the message of a test that fails; the captures are kept beside it."""
    for number, capture in enumerate(measured.captures):
        (folder / f"{number}-{capture.hop}.{capture.tap}.capture.jsonl").write_bytes(dumps(capture))
    answers = {"ladder": measured.ladder, "same exchange": measured.same, "alone": measured.alone}
    lines = [f"{name}: {answer.verdict.summary}" for name, answer in answers.items() if answer]
    return "\n".join([*lines, f"{measured.bursts} bursts, delay {measured.delay_ms}, captures in {folder}"])


@pytest.mark.parametrize("row", [parameter(row) for row in ROWS])
async def test_the_verdict_is_the_measured_fact(row: Row, bench: Bench, tmp_path: Path) -> None:
    measured = await bench.result(row)
    told = said(measured, tmp_path)
    outer = next(c for c in measured.captures if c.tap == "read" and c.exchange == measured.captures[-1].exchange)
    hop = {"": None, "engine": "engine", "part": outer.hop}[row.hop]
    for answer in (measured.ladder, measured.same):
        if answer is not None:
            verdict = answer.verdict
            if row.clumped and not row.symptom and (verdict.first_bad_hop, verdict.symptom) == (outer.hop, "burst"):
                continue
            assert (verdict.first_bad_hop, verdict.symptom) == (hop, row.symptom or None), told
            assert verdict.healthy is (not row.symptom), told
    assert measured.same is not None or row.again, f"the lab has no record of the exchange\n{told}"
    if row.alone is not None:
        assert (measured.alone.verdict.symptom or "") == row.alone, told
    if measured.same is not None and row.upstream not in (STALL, LEAVES):
        hidden = [f for f in measured.same.findings if f.code == "truncation.laundered" and f.hop == outer.hop]
        assert bool(hidden) is row.laundered, told
    if row.warning:
        assert measured.ladder and row.warning in {finding.code for finding in measured.ladder.findings}, told
    if row.upstream == LEAVES and not row.symptom:
        assert measured.left_ms is not None and measured.left_ms < SEEN_WITHIN_MS, told
