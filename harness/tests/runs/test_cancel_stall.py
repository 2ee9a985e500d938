"""Stop in a silence that an engine falls into by itself, and engines' own metrics as they are written in the field."""

from __future__ import annotations

import asyncio

import pytest

from harness.routes.model import Hop, Route
from harness.runs.cancel import STALL, cancel
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk
from harness.tests.runs.build import SOON

WORD = chunk(b'data: {"choices":[{"index":0,"delta":{"content":"x "}}]}\n\n')
ROLE = chunk(b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n')
FINISH = chunk(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')

VLLM = """# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{{engine="0",model_name="m"}} {running}.0
vllm:num_requests_running{{engine="1",model_name="m"}} 0.0
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
vllm:num_requests_waiting{{engine="0",model_name="m"}} 0.0
# HELP vllm:request_success_total Count of successfully processed requests.
# TYPE vllm:request_success_total counter
vllm:request_success_total{{engine="0",finished_reason="stop",model_name="m"}} 12.0
vllm:request_success_total{{engine="0",finished_reason="length",model_name="m"}} 3.0
vllm:request_success_total{{engine="0",finished_reason="abort",model_name="m"}} {aborted}.0
vllm:request_success_total{{engine="0",finished_reason="error",model_name="m"}} 0.0
# TYPE vllm:request_success_created gauge
vllm:request_success_created{{engine="0",finished_reason="abort",model_name="m"}} 1.76e+09
"""
OLD_VLLM = """# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{{model_name="m"}} {running}.0
vllm:num_requests_swapped{{model_name="m"}} 0.0
vllm:request_success_total{{finished_reason="stop",model_name="m"}} 12.0
{first}"""
SGLANG = """# HELP sglang:num_running_reqs The number of running requests.
# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{{engine_type="unified",model_name="m",pp_rank="0",tp_rank="0"}} {running}.0
sglang:num_queue_reqs{{engine_type="unified",model_name="m",pp_rank="0",tp_rank="0"}} 0.0
# TYPE sglang:num_aborted_requests_total counter
sglang:num_aborted_requests_total{{engine_type="unified",model_name="m"}} {aborted}.0
"""
LLAMA = """# HELP llamacpp:requests_processing Number of requests processing.
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing {running}
llamacpp:requests_deferred 0
"""


class Engine:
    """Speaks, then is silent (comments apart) until its client leaves; ``silent`` False: speaks on, ``ends``: to an
    end. ``hidden``: its gauge does not move. Its metrics are at the same address."""

    def __init__(self, text: str, *, silent: bool = True, ends: bool = False, hidden: bool = False) -> None:
        self.text, self.silent, self.ends, self.hidden = text, silent, ends, hidden
        self.running = self.aborted = 0

    def metrics(self) -> bytes:
        first = f'vllm:request_success_total{{finished_reason="abort",model_name="m"}} {self.aborted}.0\n'
        words = {"running": 0 if self.hidden else self.running, "aborted": self.aborted}
        body = self.text.format(**words, first=first if self.aborted else "").encode()
        return b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: %d\r\n\r\n" % len(body) + body

    async def __call__(self, talk: Talk) -> None:
        while talk.body is None:
            ledger = talk.path.startswith("/ledger")
            await talk.send(b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n" if ledger else self.metrics())
            await talk.read_request()
        self.running += 1
        gone = asyncio.ensure_future(talk.gone())
        try:
            await talk.send(HEAD, ROLE)
            for number in range(1_000_000):
                if gone.done():
                    break
                if self.ends and number == 12:
                    await talk.send(FINISH, LAST)
                    break
                await talk.send(chunk(b": keep-alive\n\n") if self.silent and number > 10 else WORD)
                await asyncio.sleep(0.01)
        except ConnectionError:
            pass
        await gone
        self.running -= 1
        self.aborted += not self.ends and ("{aborted}" in self.text or "{first}" in self.text)


async def trials_of(engine: Engine, *, gateway: bool = False):
    async with Upstream(engine) as upstream:
        metrics = f"http://127.0.0.1:{upstream.port}/metrics"
        hops = (Hop("engine", url=upstream.url, metrics_url=metrics),)
        if gateway:  # the engine itself is out of reach: its metrics alone are known
            hops = (
                Hop("engine", url="http://127.0.0.1:1/v1", metrics_url=metrics),
                Hop("gateway", "gateway", url=upstream.url),
            )
        return await cancel(Route("r", hops, "m", SOON), silence=0.8, within=3)


@pytest.mark.parametrize(
    ("text", "witness"),
    [
        (VLLM, "vllm:request_success_total"),
        (VLLM.replace("vllm:", "vllm_"), "vllm_request_success_total"),
        (OLD_VLLM, "vllm:request_success_total"),
        (SGLANG, "sglang:num_aborted_requests_total"),
        (LLAMA, "llamacpp:requests_processing"),
    ],
    ids=["vLLM", "vLLM, names rewritten", "vLLM 0.6", "SGLang", "llama.cpp"],
)
async def test_a_silence_that_comes_by_itself_is_left_and_the_engine_s_metrics_tell(text, witness):
    answer, trials = await trials_of(Engine(text))
    assert [t.moment for t in trials][-1] == STALL and len(trials) == 3
    assert {(t.cancelled, t.witness) for t in trials} == {(True, witness)}, [str(t) for t in trials]
    assert 800 <= trials[-1].left_at_ms < 3000, "heartbeats break no silence"
    assert answer.verdict.healthy is True and len(answer.captures) == 3


@pytest.mark.parametrize(
    ("engine", "says"),
    [(Engine(VLLM, silent=False), "no stall of 0.8 s came in 3."),
     (Engine(VLLM, silent=False, ends=True), "no stall of 0.8 s came: the answer ended after")],
    ids=["speaks on", "comes to its end"],
)  # fmt: skip
async def test_without_a_stall_that_is_said_and_the_others_stand(engine, says):
    answer, trials = await trials_of(engine)
    stall = trials[-1]
    assert stall.moment == STALL and stall.cancelled is None and says in stall.because, stall
    if not engine.ends:
        assert [t.cancelled for t in trials[:-1]] == [True, True] and answer.verdict.healthy is True


async def test_a_request_that_the_gauge_never_showed_is_not_called_stopped():
    answer, trials = await trials_of(Engine(LLAMA, hidden=True))
    assert [t.cancelled for t in trials] == [None] * 3 and answer.verdict.healthy is None
    assert all("never showed the request" in t.because for t in trials)


async def test_an_engine_out_of_reach_tells_by_its_metrics_of_the_gateway_in_front_of_it():
    answer, trials = await trials_of(Engine(SGLANG), gateway=True)
    assert [(t.hop, t.cancelled) for t in trials] == [("engine", None)] * 2 + [("gateway", True)] * 3
    assert all("refused" in t.because for t in trials[:2]) and answer.verdict.healthy is True


class Lumps(Engine):
    """Says nothing for a while, then all at once: a fault of pace, which stops are not judged by."""

    async def __call__(self, talk: Talk) -> None:
        while talk.body is None:
            ledger = talk.path.startswith("/ledger")
            await talk.send(b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n" if ledger else self.metrics())
            await talk.read_request()
        self.running += 1
        try:
            await talk.send(HEAD, ROLE)
            await asyncio.sleep(0.5)
            for _ in range(40):
                await talk.send(WORD)
                await asyncio.sleep(0)
        except ConnectionError:
            pass
        await talk.gone()
        self.running -= 1
        self.aborted += 1


async def test_an_engine_that_stops_is_healthy_here_whatever_its_pace(monkeypatch):
    monkeypatch.setattr("harness.runs.cancel.MOMENTS", {"in the middle": 9})
    answer, trials = await trials_of(Lumps(VLLM))
    assert {t.cancelled for t in trials} == {True}, [str(t) for t in trials]
    assert answer.verdict.healthy is True and not [f for f in answer.findings if f.severity == "error"]
    assert any(f.symptom in ("burst", "stall", "first-byte") for f in answer.findings), answer.findings
