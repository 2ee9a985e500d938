"""Stop is followed to the engine: by the lab's ledger, by a gauge, or not at all."""

from __future__ import annotations

import asyncio
import json

import pytest

from harness.lab.server import running
from harness.routes.model import Hop, Route
from harness.runs.cancel import MOMENTS, cancel
from harness.tests.probe.fakes import HEAD, Talk, Upstream, chunk
from harness.tests.runs.build import SOON, through


async def test_a_gateway_that_passes_the_close_on_is_healthy_and_fast():
    async with running() as lab:
        answer, trials = await cancel(through(lab.base, "passthrough"))
    assert answer.verdict.healthy is True
    moments = ["before the first token", "in the middle", "during a stall"]
    assert [(t.hop, t.moment) for t in trials] == [(hop, m) for hop in ("engine", "gateway") for m in moments]
    assert {(t.cancelled, t.witness) for t in trials} == {(True, "ledger")}
    assert all(trial.after_ms < 1000 for trial in trials)


async def test_a_gateway_that_reads_on_is_pinned():
    async with running() as lab:
        answer, trials = await cancel(through(lab.base, "deaf"), prompt="count [[lab events=60 rate=40]]")
    assert [t.cancelled for t in trials] == [True] * 3 + [False] * 3
    verdict = answer.verdict
    assert (verdict.healthy, verdict.first_bad_hop, verdict.symptom) == (False, "gateway", "not-cancelled")


class Busy:
    """An engine with a gauge: it streams until its client leaves, or (``deaf``) goes on for good.

    ``counter``: what it counts aborts under, ``counts`` whether it does. ``mute``: its head comes with its first token.
    """

    def __init__(
        self,
        deaf: bool,
        gauge: str = "vllm:num_requests_running",
        counter: str = "",
        counts: bool = True,
        mute: bool = False,
    ) -> None:
        self.deaf, self.gauge, self.counter, self.counts, self.mute = deaf, gauge, counter, counts, mute
        self.running = self.aborted = 0

    async def metrics(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = f'# HELP x\n{self.gauge}{{model_name="m"}} {self.running}.0\n'.encode()
        if self.counter:
            body += f"{self.counter} {self.aborted}.0\n".encode()
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async def __call__(self, talk: Talk) -> None:
        if talk.body is None:  # somebody looks for a ledger or a gauge
            return talk.finish()
        self.running += 1
        gone = asyncio.ensure_future(talk.gone())
        try:
            if self.mute:
                await gone
            await talk.send(HEAD)
            while not gone.done():
                await talk.send(chunk(b'data: {"choices":[{"index":0,"delta":{"content":"x "}}]}\n\n'))
                await asyncio.sleep(0.01)
        except ConnectionError:
            pass
        finally:
            if not self.deaf:
                self.running -= 1
                self.aborted += self.counts
            await gone


SGLANG = "sglang:num_aborted_requests_total"
VLLM = 'vllm:request_success_total{finished_reason="abort",model_name="m"}'


@pytest.mark.parametrize(
    ("gauge", "counter", "counts", "cancelled", "witness"),
    [
        ("vllm:num_requests_running", VLLM, True, True, "vllm:request_success_total"),
        (
            "sglang:num_running_reqs",
            "sglang:num_aborted_requests_total",
            True,
            True,
            "sglang:num_aborted_requests_total",
        ),
        ("llamacpp:requests_processing", "", True, True, "llamacpp:requests_processing"),
        ("vllm:num_requests_running", VLLM, False, None, "vllm:num_requests_running"),
    ],
    ids=["vllm", "sglang", "llama.cpp", "finished-by-itself"],
)
async def test_an_engine_s_own_count_of_aborts_is_the_better_witness(gauge, counter, counts, cancelled, witness):
    answer, trials = await measured(Busy(False, gauge, counter, counts))
    assert [(t.cancelled, t.witness) for t in trials] == [(cancelled, witness)] * 2
    assert answer.verdict.healthy is cancelled
    assert counts or "counted no abort" in trials[0].because


async def test_an_engine_whose_head_comes_with_the_first_token_is_left_without_one():
    answer, trials = await measured(Busy(False, mute=True), moments=1)
    assert trials[0].cancelled is True and trials[0].left_at_ms >= 300
    assert answer.verdict.healthy is True


async def measured(engine: Busy, moments: int = 2):
    """``cancel`` against the engine, its metrics on a port of their own."""
    server = await asyncio.start_server(engine.metrics, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/metrics"
    try:
        async with Upstream(engine) as upstream:
            route = Route("r", (Hop("engine", url=upstream.url, metrics_url=url),), "m", SOON)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("harness.runs.cancel.MOMENTS", dict(list(MOMENTS.items())[:moments]))
                return await cancel(route, within=0)
    finally:
        server.close()


async def test_slots_tell_where_there_are_no_metrics():
    running = 0

    async def script(talk: Talk) -> None:
        nonlocal running
        if talk.body is None:
            body = json.dumps([{"id": 0, "is_processing": bool(running)}]).encode()
            found = talk.path == "/slots"
            head = b"HTTP/1.1 %d X\r\ncontent-length: %d\r\n\r\n" % (200 if found else 404, len(body))
            await talk.send(head, body)
            return talk.finish()
        running += 1
        await talk.send(HEAD, *[chunk(b'data: {"choices":[{"index":0,"delta":{"content":"x "}}]}\n\n')] * 3)
        for _ in range(20):
            if talk.reader.at_eof():
                break
            await asyncio.sleep(0.01)
            await talk.send(chunk(b'data: {"choices":[{"index":0,"delta":{"content":"x "}}]}\n\n'))
        await talk.gone()
        running -= 1

    async with Upstream(script) as upstream:
        answer, trials = await cancel(Route("r", (Hop("engine", url=upstream.url),), "m", SOON), within=0)
    assert {(t.cancelled, t.witness) for t in trials} == {(True, "/slots")}
    assert answer.verdict.healthy is True


@pytest.mark.parametrize(
    ("deaf", "healthy", "cancelled"),
    [(False, True, [True, True]), (True, False, [False, False])],
    ids=["stops", "goes-on"],
)
async def test_an_engine_s_gauge_tells_where_there_is_no_ledger(monkeypatch, deaf, healthy, cancelled):
    monkeypatch.setattr("harness.runs.cancel.PATIENCE", 0.6)
    engine = Busy(deaf)
    server = await asyncio.start_server(engine.metrics, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/metrics"
    async with Upstream(engine) as upstream:
        route = Route("r", (Hop("engine", url=upstream.url, metrics_url=url),), "m", SOON)
        answer, trials = await cancel(route, within=0)
    server.close()
    assert [t.cancelled for t in trials] == cancelled and answer.verdict.healthy is healthy
    assert {t.witness for t in trials} == {"vllm:num_requests_running"}


async def test_where_nobody_tells_there_is_no_verdict():
    engine = Busy(False)
    async with Upstream(engine) as upstream:
        answer, trials = await cancel(Route("r", (Hop("engine", url=upstream.url),), "m", SOON))
    assert [t.cancelled for t in trials] == [None, None]
    assert answer.verdict.healthy is None and "neither ledger, metrics nor slots" in answer.verdict.summary


async def test_a_route_that_is_not_there_has_no_verdict():
    answer, trials = await cancel(Route("r", (Hop("engine", url="http://127.0.0.1:1/v1"),), "m", SOON))
    assert answer.verdict.healthy is None and "ended before we left: refused" in trials[0].because
