"""The ladder pins a fault on the hop that makes it: the lab behind its gateways, and scripted upstreams."""

from __future__ import annotations

import asyncio
from datetime import datetime
from statistics import median

import pytest

from harness.capture.model import Capture
from harness.errors import UnknownRoute
from harness.lab.server import running
from harness.probe.exchange import probe
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.ladder import Plan, ladder, probe_hop, unreached
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk
from harness.tests.runs.build import SOON, through

pytestmark = pytest.mark.alone

QUICK = "count [[lab events=30 rate=60]]"


@pytest.mark.parametrize(
    ("gateway", "prompt", "hop", "symptom"),
    [
        ("passthrough", QUICK, None, None),
        ("passthrough", "count [[lab events=20 rate=60 stall at=8 for=2600ms]]", "engine", "stall"),
        ("passthrough", "count [[lab events=30 rate=60 truncate at=50%]]", "engine", "truncation"),
        ("buffer-until-end", "count [[lab events=40 rate=40]]", "gateway", "burst"),
        ("racing-rewrite", QUICK, "gateway", "reorder"),
    ],
    ids=["healthy", "stall", "truncate", "buffer-until-end", "racing-rewrite"],
)
async def test_the_first_bad_hop_is_the_one_that_does_it(gateway, prompt, hop, symptom):
    async with running() as lab:
        result = await ladder(through(lab.base, gateway), Plan(prompt=prompt))
    verdict = result.answer.verdict
    assert (verdict.healthy, verdict.first_bad_hop, verdict.symptom) == (hop is None, hop, symptom)
    assert [(c.hop, c.kind, c.tap) for c in result.captures] == [
        ("engine", "engine", "read"),
        ("gateway", "gateway", "read"),
    ]


@pytest.mark.parametrize("together", [False, True], ids=["in-turn", "at-once"])
async def test_repeats_go_round_by_round(together):
    lines: list[str] = []
    async with running() as lab:
        plan = Plan(prompt="hi [[lab events=4 rate=100]]", repeat=3, together=together)
        result = await ladder(through(lab.base, "passthrough"), plan, tell=lines.append)
    turns = [(c.repeat, c.hop) for c in result.captures]
    assert turns == [(n, hop) for n in range(3) for hop in ("engine", "gateway")]
    starts = [c.sent_at for c in result.captures if c.hop == "engine"]
    assert starts == sorted(starts) and len(lines) == 6
    assert len({c.exchange for c in result.captures}) == 6
    assert result.answer.verdict.healthy is True


async def test_a_single_round_bears_no_repeat_number():
    async with running() as lab:
        result = await probe_hop(through(lab.base, "passthrough"), Plan(prompt="hi [[lab events=4 rate=100]]"))
    assert [(c.hop, c.repeat) for c in result.captures] == [("gateway", None)]
    assert "repeat" not in result.answer.captures[0]


class Flaky:
    """Answers well, but cuts the n-th answer."""

    def __init__(self, bad: int) -> None:
        self.bad, self.count = bad, 0

    async def __call__(self, talk: Talk) -> None:
        self.count += 1
        parts = [chunk(b'data: {"choices":[{"index":0,"delta":{"content":"t%d "}}]}\n\n' % n) for n in range(1, 6)]
        await talk.send(HEAD, *parts)
        if self.count != self.bad:
            finish = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
            await talk.send(chunk(finish), LAST)
        talk.finish()


async def test_until_fault_keeps_the_bad_round_and_the_good_one_before_it():
    async with Upstream(Flaky(bad=4)) as upstream:
        route = Route("r", (Hop("engine", url=upstream.url),), "m", SOON)
        result = await probe_hop(route, Plan(until_fault=True, most=10))
    assert result.rounds == 4 and [c.repeat for c in result.captures] == [2, 3]
    assert [c.end.kind for c in result.captures] == ["complete", "truncated"]
    assert result.answer.verdict.healthy is False


async def test_until_fault_gives_up_at_its_bound_and_is_healthy():
    async with Upstream(Flaky(bad=99)) as upstream:
        route = Route("r", (Hop("engine", url=upstream.url),), "m", SOON)
        result = await probe_hop(route, Plan(until_fault=True, most=3))
    assert result.rounds == 3 and result.answer.verdict.healthy is True


async def test_an_added_recording_stands_for_a_hop_that_is_not_probed():
    async with running() as lab:
        route = through(lab.base, "buffer-until-end")
        engine = await probe(route, route.hops[0], prompt="count [[lab events=40 rate=40]]")
        away = Route("r", (Hop("engine", url="http://127.0.0.1:1/v1"), route.hops[1]), "lab-steady", SOON)
        plan = Plan(prompt="count [[lab events=40 rate=40]]", added={"engine": [engine]})
        result = await ladder(away, plan)
    assert result.answer.verdict.first_bad_hop == "gateway" and not unreached(result.captures)


async def test_an_added_recording_for_a_hop_that_the_route_lacks_is_refused():
    route = Route("r", (Hop("engine", url="http://127.0.0.1:1/v1"),), "m")
    with pytest.raises(UnknownRoute, match="engine"):
        await ladder(route, Plan(added={"gateway": []}))


async def test_when_no_hop_is_reached_nothing_is_judged_and_each_is_named():
    hops = tuple(Hop(name, url="http://127.0.0.1:1/v1") for name in ("engine", "engine-2"))
    result = await ladder(Route("r", hops, "m", SOON), Plan())
    assert result.answer.verdict.healthy is None
    assert [c.hop for c in unreached(result.captures)] == ["engine", "engine-2"]


def span_ms(captures) -> float:
    """From the first request to the last end, on the captures' own stamps."""
    begun = [datetime.fromisoformat(c.sent_at).timestamp() * 1000 for c in captures]
    return max(t + c.end.t for t, c in zip(begun, captures, strict=True)) - min(begun)


async def test_in_turn_costs_little_more_than_its_streams():
    """At most 1.1 times their sum, the looks into the ledger included."""
    async with running() as lab:
        plan = Plan(prompt="count [[lab events=20 rate=20]]", repeat=3)
        result = await ladder(through(lab.base, "passthrough"), plan)
    assert len(result.records) == 6
    assert span_ms(result.captures) <= 1.1 * sum(c.end.t for c in result.captures)


async def test_four_hops_at_once_cost_little_more_than_one_stream():
    """At most 1.5 times one stream a repeat; in turn it would be four times."""
    async with running() as lab:
        vias = ("passthrough", "rewrite", "passthrough")
        hops = [Hop("engine", url=f"{lab.base}/v1")]
        hops += [Hop(f"gateway-{n}", "gateway", url=f"{lab.base}/via/{via}/v1") for n, via in enumerate(vias, 1)]
        plan = Plan(prompt="count [[lab events=20 rate=20]]", repeat=2, together=True)
        result = await ladder(Route("r", tuple(hops), "lab-steady", SOON), plan)
    assert len(result.captures) == 8 and result.answer.verdict.healthy is True
    one = median(c.end.t for c in result.captures)
    assert span_ms(result.captures) <= 2 * 1.5 * one
    for number in range(2):
        assert span_ms([c for c in result.captures if c.repeat == number]) <= 1.5 * one


@pytest.mark.parametrize(("repeat", "after", "kept"), [(3, 2, ["engine", "gateway"]), (1, 1, ["engine"])])
@pytest.mark.parametrize("partial", [True, False])
async def test_what_had_ended_when_it_is_interrupted_is_told(
    partial: bool, repeat: int, after: int, kept: list[str]
) -> None:
    """Cancelled when the next hop is about to be asked: after a whole round, or in the middle of the only one."""
    begun = 0

    def watch(hop: Hop, number: int | None, capture: Capture | None) -> None:
        nonlocal begun
        begun += capture is None
        if begun > after:
            climbing.cancel()

    async with running() as lab:
        plan = Plan(prompt="hi [[lab events=4 rate=100]]", repeat=repeat, partial=partial)
        climbing = asyncio.ensure_future(ladder(through(lab.base, "passthrough"), plan, watch=watch))
        if not partial:
            with pytest.raises(asyncio.CancelledError):
                await climbing
            return
        result = await climbing
    assert result.interrupted and [c.hop for c in result.captures] == kept
    assert result.answer.verdict.healthy is True and result.rounds == repeat // 3


async def test_a_hop_that_was_reached_and_stays_silent_is_not_called_out_of_reach():
    async with Upstream(Talk.gone) as upstream:
        route = Route("r", (Hop("engine", url=upstream.url),), "m", Timeouts(connect=1, read=0.3, total=5))
        result = await ladder(route, Plan())
    assert result.captures[0].end.kind == "timeout" and not unreached(result.captures)
