"""Stop is followed to the engine: by the lab's ledger, by a gauge, or not at all."""

from __future__ import annotations

import asyncio

import pytest

from harness.lab.server import running
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.cancel import cancel
from harness.tests.probe.fakes import HEAD, Talk, Upstream, chunk

SOON = Timeouts(5, 20, 60)


def through(base: str, gateway: str) -> Route:
    hops = (Hop("engine", url=f"{base}/v1"), Hop("gateway", "gateway", url=f"{base}/via/{gateway}/v1"))
    return Route("r", hops, "lab-steady", SOON)


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
    """An engine with a gauge: it streams until its client leaves, or (``deaf``) goes on for good."""

    def __init__(self, deaf: bool, gauge: str = "vllm:num_requests_running") -> None:
        self.deaf, self.gauge, self.running = deaf, gauge, 0

    async def metrics(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = f'# HELP x\n{self.gauge}{{model_name="m"}} {self.running}.0\n'.encode()
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async def __call__(self, talk: Talk) -> None:
        if talk.body is None:  # somebody looks for a ledger or a gauge
            return talk.finish()
        self.running += 1
        gone = asyncio.ensure_future(talk.gone())
        try:
            await talk.send(HEAD)
            while not gone.done():
                await talk.send(chunk(b'data: {"choices":[{"index":0,"delta":{"content":"x "}}]}\n\n'))
                await asyncio.sleep(0.01)
        except ConnectionError:
            pass
        finally:
            if not self.deaf:
                self.running -= 1
            await gone


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
        answer, trials = await cancel(route)
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
