"""Two ways compared: equal texts, the place where they part, sampling told apart, headers that differ."""

from __future__ import annotations

import json

import pytest

from harness.lab.gateways.registry import gateways
from harness.lab.server import running
from harness.report.compared import lines
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.compare import compare
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk

SOON = Timeouts(5, 20, 60)
QUICK = "count [[lab events=20 rate=100]]"


def way(name: str, url: str, model: str = "lab-steady") -> Route:
    return Route(name, (Hop(name, url=url),), model, SOON)


async def test_a_way_that_changes_nothing_is_equal_and_healthy():
    async with running() as lab:
        ways = way("engine", f"{lab.base}/v1"), way("gateway", f"{lab.base}/via/passthrough/v1")
        found = await compare(*ways, prompt=QUICK, repeat=2)
    assert found.equal and not found.sampled and found.answer.verdict.healthy is True
    assert [(t.way, t.repeat, t.letter, t.matches) for t in found.texts] == [
        ("engine", 0, "a", True),
        ("gateway", 0, "a", True),
        ("engine", 1, "a", True),
        ("gateway", 1, "a", True),
    ]


async def test_a_gateway_that_reorders_is_pinned_where_it_first_differs():
    async with running() as lab:
        ways = way("engine", f"{lab.base}/v1"), way("gateway", f"{lab.base}/via/racing-rewrite/v1")
        found = await compare(*ways, prompt="count [[lab events=60 rate=100]]", repeat=1)
    verdict = found.answer.verdict
    assert (verdict.healthy, verdict.first_bad_hop, verdict.symptom) == (False, "gateway", "reorder")
    direct, through = found.texts
    assert direct.matches is True and through.matches is False and not found.equal
    gap = through.difference
    assert gap.here != gap.there and gap.event is not None and gap.byte > 0 and gap.at_ms > 0
    assert any("gateway #0 from character" in line for line in lines(found))


class Scripted:
    """Says the next of its texts each time, one chunk a word, or whole where it is not asked for a stream."""

    def __init__(self, texts: list[str], header: bytes = b"") -> None:
        self.texts, self.header, self.count = texts, header, 0

    async def __call__(self, talk: Talk) -> None:
        text = self.texts[self.count % len(self.texts)]
        self.count += 1
        if not talk.body["stream"]:
            message = {"role": "assistant", "content": text}
            body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
            head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
            await talk.send(head % len(body), body)
            return
        deltas = [{"content": word + " "} for word in text.split(" ")[:-1]] + [{"content": text.split(" ")[-1]}]
        events = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        parts = [chunk(b"data: " + json.dumps(event).encode() + b"\n\n") for event in events]
        await talk.send(HEAD[:-2] + self.header + b"\r\n", *parts, chunk(b"data: [DONE]\n\n"), LAST)


async def test_a_way_that_differs_from_itself_is_sampling():
    one, two = Scripted(["the sun is red"]), Scripted(["the sun is red", "the sun is red", "the sun was blue"])
    async with Upstream(one) as a, Upstream(two) as b:
        found = await compare(way("direct", a.url), way("gateway", b.url), prompt="hi", repeat=2)
    assert found.sampled == ("gateway",) and not found.equal
    assert [t.letter for t in found.texts if t.way == "gateway"] == ["a", "b"]
    assert found.texts[-1].difference.char == len("the sun ") and found.texts[-1].difference.event == 2


async def test_headers_that_only_one_way_has_are_listed():
    one, two = Scripted(["hi there"]), Scripted(["hi there"], b"via: 1.1 gw\r\ndate: now\r\n")
    async with Upstream(one) as a, Upstream(two) as b:
        found = await compare(way("direct", a.url), way("gateway", b.url), prompt="hi", repeat=1)
    assert found.headers == {"via": {"direct": "", "gateway": "1.1 gw"}}
    assert found.as_json()["comparison"]["equal"] is True


async def test_ways_with_hops_of_one_name_are_told_apart_by_their_routes():
    async with Upstream(Scripted(["hi there"])) as a:
        hop = Hop("engine", url=a.url)
        found = await compare(Route("x", (hop,), "m", SOON), Route("y", (hop,), "m", SOON), prompt="hi", repeat=1)
    assert [t.way for t in found.texts] == ["x", "y"]


@pytest.mark.parametrize(
    ("gateway", "told"),
    [("racing-rewrite", "reorder"), ("retry-midway", "duplicate"), ("passthrough", "equal")],
)
async def test_each_text_says_how_it_differs(gateway, told):
    async with running() as lab:
        ways = way("engine", f"{lab.base}/v1"), way("gateway", f"{lab.base}/via/{gateway}/v1")
        found = await compare(*ways, prompt="count [[lab events=60 rate=100]]", repeat=2)
    assert {t.told for t in found.texts if t.way == "gateway"} == {told}
    assert {t.told for t in found.texts if t.way == "engine"} == {"equal"} and found.whole_equal is True


async def test_fields_that_the_gateway_rewrites_are_listed():
    kind = gateways()["fastgpt-like"]
    async with running() as lab:
        hop = Hop("gateway", "gateway", kind.wire, f"{lab.base}/via/fastgpt-like{kind.path}")
        ways = way("engine", f"{lab.base}/v1"), Route("gateway", (hop,), "lab-steady", SOON)
        found = await compare(*ways, prompt=QUICK, repeat=1)
    told = {(row.field, row.how) for row in found.fields}
    assert {("id", "blanked"), ("model", "blanked")} <= told
    assert any("field model blanked" in line for line in lines(found))
    assert found.as_json()["comparison"]["fields"] == [row.as_json() for row in found.fields]
