"""The engine behind the socket: tokens, metrics, queues, loading."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise

import pytest

from harness.lab.engine.meter import COUNTERS, GAUGES, HISTOGRAMS
from harness.lab.engine.model import released
from harness.lab.raw import Wire, ask
from harness.lab.server import running
from harness.tests.lab.build import body, end_of, metric, metrics_when


def text(wire: Wire) -> str:
    found = re.findall(rb'"content":"([^"]*)"', b"".join(data for _, data in wire.writes()))
    return b"".join(found).decode()


@pytest.mark.parametrize("model", ["lab-sim-small", "lab-sim-interval", "lab-sim-speculative", "lab-sim-mi300x-7b"])
async def test_an_engines_answer_is_whole_whatever_the_size_of_its_chunks(model: str) -> None:
    async with running() as lab:
        wire = await ask(lab.base + "/v1/chat/completions", body(model, max_tokens=20))
        page = lab.engines.metrics()
    assert text(wire) == " ".join(f"t{i}" for i in range(1, 21))
    assert wire.whole
    chunks = len(wire.writes())
    assert chunks == 23 if model in ("lab-sim-small", "lab-sim-mi300x-7b") else chunks < 20
    assert metric(page, "generation_tokens_total", model) == 20
    assert metric(page, "request_success_total", model, finished_reason="length") == 1


async def test_requests_queue_when_the_seats_are_taken_and_the_gauges_show_it() -> None:
    async with running() as lab:
        url = lab.base + "/v1/chat/completions"
        jobs = [ask(url, body("lab-sim-small", f"go {i}", max_tokens=12)) for i in range(6)]
        tasks = [asyncio.get_running_loop().create_task(job) for job in jobs]
        page = await metrics_when(lab, "lab-sim-small", num_requests_running=4, num_requests_waiting=2)
        wires = await asyncio.gather(*tasks)
    assert metric(page, "num_requests_running", "lab-sim-small") == 4
    assert metric(page, "num_requests_waiting", "lab-sim-small") == 2
    assert metric(page, "kv_cache_usage_perc", "lab-sim-small") > 0
    firsts = sorted(wire.writes()[0][0] for wire in wires)
    assert firsts[4] > 3 * firsts[3]


async def test_an_abort_frees_the_seat_and_is_counted() -> None:
    async with running() as lab:
        url = lab.base + "/v1/chat/completions"
        await ask(url, body("lab-sim-small"), {"x-exchange-id": "k"}, leave_after=0.3)
        assert await end_of(lab, "k") == "aborted"
        page = lab.engines.metrics()
    assert metric(page, "num_requests_running", "lab-sim-small") == 0
    assert metric(page, "request_success_total", "lab-sim-small", finished_reason="abort") == 1


async def test_plain_models_move_the_metrics_too() -> None:
    async with running() as lab:
        url = lab.base + "/v1/chat/completions"
        task = asyncio.get_running_loop().create_task(ask(url, body("lab-steady", max_tokens=8)))
        during = await metrics_when(lab, "lab-steady", num_requests_running=1)
        await task
        page = lab.engines.metrics()
    assert metric(during, "num_requests_running", "lab-steady") == 1
    assert metric(page, "num_requests_running", "lab-steady") == 0
    assert metric(page, "generation_tokens_total", "lab-steady") == 8
    assert metric(page, "inter_token_latency_seconds_count", "lab-steady") == 7
    assert metric(page, "inter_token_latency_seconds_bucket", "lab-steady", le="0.025") == 0


async def test_the_page_has_every_family_once_with_help_and_type() -> None:
    async with running() as lab:
        await ask(lab.base + "/v1/chat/completions", body("lab-steady", max_tokens=2))
        page = lab.engines.metrics()
    types = re.findall(r"^# TYPE vllm:(\S+) (\S+)$", page, re.M)
    assert len(types) == len({name for name, _ in types}) == len(GAUGES) + len(COUNTERS) + len(HISTOGRAMS) + 1
    assert 'vllm:time_to_first_token_seconds_bucket{engine="0",model_name="lab-steady",le="0.001"} 0.0' in page


@pytest.mark.parametrize(
    ("model", "status", "end"), [("lab-sim-cold-503", 503, "fin"), ("lab-sim-cold-refused", 0, "reset")]
)
async def test_a_loading_model_refuses_each_in_its_way(model: str, status: int, end: str) -> None:
    async with running() as lab:
        wire = await ask(lab.base + "/v1/chat/completions", body(model, max_tokens=2))
    assert (wire.status, wire.end) == (status, end)


async def test_a_model_that_loads_inside_the_request_lets_it_wait() -> None:
    async with running() as lab:
        wire = await ask(lab.base + "/v1/chat/completions", body("lab-sim-cold-inside", max_tokens=2))
    assert wire.status == 200 and wire.writes()[0][0] > 2000


async def test_faults_add_their_delay_to_the_engines_times() -> None:
    async with running() as lab:
        stalled = body("lab-sim-small", "go [[lab stall at=3 for=400ms]]", max_tokens=6)
        at = [t for t, _ in (await ask(lab.base + "/v1/chat/completions", stalled)).writes()]
    gaps = [b - a for a, b in pairwise(at)]
    assert gaps.index(max(gaps)) == 3 and max(gaps) > 300


def test_a_stream_interval_shows_the_first_token_at_once_and_all_at_the_end() -> None:
    assert [released(n, 4, False) for n in range(10)] == [0, 1, 1, 1, 1, 5, 5, 5, 5, 9]
    assert released(7, 4, True) == 7 and released(7, 1, False) == 7
