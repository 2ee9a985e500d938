"""The silence that each hop allows, read off the lab's own gateways with timers."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from harness.lab.server import running
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.idle import PLACES, idle
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk

pytestmark = pytest.mark.alone


def through(base: str, gateway: str) -> Route:
    hops = (Hop("engine", url=f"{base}/v1"), Hop("gateway", "gateway", url=f"{base}/via/{gateway}/v1"))
    return Route("r", hops, "lab-steady", Timeouts(5, 1, 2))


async def test_a_line_that_is_never_cut_is_healthy_whatever_the_route_s_own_limits():
    async with running() as lab:
        answer, limits = await idle(through(lab.base, "passthrough"), up_to=1.5)
    assert answer.verdict.healthy is True and len(limits) == 6
    assert all(limit.seconds is None and limit.known for limit in limits)


async def test_a_compressed_stream_is_not_taken_for_a_cut_one():
    async with running() as lab:
        answer, limits = await idle(through(lab.base, "gzip-no-flush"), up_to=1)
    assert answer.verdict.healthy is True and all(limit.seconds is None for limit in limits), [str(x) for x in limits]


@pytest.mark.parametrize(
    ("gateway", "counts", "seconds", "places"),
    [("idle-cut", "idle", 1.0, {"in the middle"}), ("total-cut", "total", 2.0, {"in the middle", "while it flows"})],
)
async def test_a_timer_is_found_with_its_kind_and_its_time(gateway, counts, seconds, places):
    async with running() as lab:
        answer, limits = await idle(through(lab.base, gateway), up_to=3)
    cut = {limit.place: limit for limit in limits if limit.seconds is not None}
    assert places <= set(cut) and {limit.hop for limit in cut.values()} == {"gateway"}
    found = cut["in the middle"]
    assert found.counts == counts and found.seconds == pytest.approx(seconds, abs=0.5)
    assert (answer.verdict.healthy, answer.verdict.first_bad_hop) == (False, "gateway")


async def test_a_fault_of_the_route_s_own_lab_model_is_no_timer_of_the_hop():
    async with running() as lab:
        stalls = replace(through(lab.base, "idle-cut"), model="lab-stall")
        _, limits = await idle(stalls, up_to=6)
    assert {limit.place for limit in limits if limit.seconds is not None} == {"in the middle"}


async def test_an_engine_that_does_not_fall_silent_gives_no_verdict():
    async def script(talk: Talk) -> None:
        event = b'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
        await talk.send(HEAD, chunk(event), LAST)

    async with Upstream(script) as upstream:
        answer, _ = await idle(Route("r", (Hop("engine", url=upstream.url),), "m"), up_to=1)
    assert answer.verdict.healthy is None and "is the lab behind this hop?" in answer.verdict.summary


async def test_a_hop_that_is_not_reached_gives_no_verdict():
    answer, limits = await idle(Route("r", (Hop("engine", url="http://127.0.0.1:1/v1"),), "m"), up_to=1)
    assert answer.verdict.healthy is None and {limit.why for limit in limits} == {"not reached"}


@pytest.mark.parametrize("status", [404, 401, 503], ids=str)
async def test_a_gateway_that_refuses_at_once_has_no_timer_and_is_told_how_to_reach_the_lab(status):
    async def script(talk: Talk) -> None:
        await talk.send(b"HTTP/1.1 %d X\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}" % status)
        talk.finish()

    async with Upstream(script) as upstream:
        answer, limits = await idle(Route("r", (Hop("gateway", "gateway", url=upstream.url),), "m"), up_to=1)
    assert {limit.seconds for limit in limits} == {None} and answer.verdict.healthy is None
    assert f"it answers {status}" in answer.verdict.summary and "model channel" in answer.verdict.needs


async def test_a_504_after_a_wait_is_a_timer():
    async def script(talk: Talk) -> None:
        await asyncio.sleep(1.0)
        await talk.send(b"HTTP/1.1 504 X\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
        talk.finish()

    async with Upstream(script) as upstream:
        _, limits = await idle(Route("r", (Hop("gateway", "gateway", url=upstream.url),), "m"), up_to=3)
    assert {limit.place for limit in limits if limit.seconds and 0.9 <= limit.seconds <= 2} == set(PLACES)
