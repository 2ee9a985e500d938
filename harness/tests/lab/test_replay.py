"""Replays: any capture as a model or a gateway."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.capture.format import dumps
from harness.errors import InputError
from harness.lab.raw import ask
from harness.lab.replay import plan_of, replays
from harness.lab.scenarios import built_in
from harness.lab.server import running
from harness.lab.synth import ladder, way

ASKED = {"model": "replay-case", "stream": True, "messages": [{"role": "user", "content": "whatever"}]}


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "case.capture.jsonl"
    path.write_bytes(dumps(ladder("lab-truncate", 1, way("engine"))[0]))
    return path


@pytest.mark.parametrize(
    ("model", "end"),
    [("lab-steady", "complete"), ("lab-truncate", "cut"), ("lab-reset", "reset"), ("lab-hang", "hang")],
)
def test_bytes_times_and_ends_are_those_of_the_capture(model: str, end: str) -> None:
    capture = ladder(model, 1, way("engine"))[0]
    plan = plan_of(capture, scale=0.5)
    assert plan.body() == capture.body and plan.end == end
    assert [e.at for e in plan.emissions] == [t / 2 for t in capture.times]


async def test_a_file_becomes_a_model_and_a_gateway(case: Path) -> None:
    played = replays([str(case)], scale=0.02)
    async with running(scenarios={**built_in(), **played}) as lab:
        wire = await ask(lab.base + "/v1/chat/completions", ASKED)
        other = await ask(
            lab.base + "/via/replay-case/v1/chat/completions", {**ASKED, "model": "gpt"}, {"x-exchange-id": "k"}
        )
        assert lab.ledger.find("k", "gateway") and not lab.ledger.find("k", "engine")
    for got in (wire, other):
        assert b"".join(data for _, data in got.writes()) == ladder("lab-truncate", 1, way("engine"))[0].body
        assert not got.whole and got.end == "fin"


async def test_faults_can_be_put_on_top_of_a_replay(case: Path) -> None:
    async with running(scenarios=replays([str(case)], scale=0.02)) as lab:
        marked = {**ASKED, "messages": [{"role": "user", "content": "[[lab early-end at=3]]"}]}
        wire = await ask(lab.base + "/v1/chat/completions", marked)
    texts = [json.loads(data[6:])["choices"][0]["delta"]["content"] for _, data in wire.writes()]
    assert texts == ["", "t1", " t2", " t3"]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.jsonl"):
        replays([str(tmp_path / "nothing.jsonl")])
