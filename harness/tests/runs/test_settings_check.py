"""Ten settings that bite, against the lab's gateways and scripted upstreams."""

from __future__ import annotations

import json

import pytest

from harness.lab.gateways.registry import gateways
from harness.lab.server import running
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.asked_twice import Setting
from harness.runs.settings_check import check_settings
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk

SOON = Timeouts(5, 20, 60)
QUICK = "count [[lab events=16 rate=40]]"
NAMES = [
    "streaming", "cache", "upstreams", "compression", "method", "http", "model", "n", "keep-alive", "header size",
]  # fmt: skip


def through(base: str, gateway: str) -> Route:
    kind = gateways()[gateway]
    outer = Hop("gateway", "gateway", kind.wire, f"{base}/via/{gateway}{kind.path}")
    return Route("r", (Hop("engine", url=f"{base}/v1"), outer), kind.model, SOON)


async def lab(gateway: str, prompt: str = QUICK):
    async with running() as there:
        answer, found = await check_settings(through(there.base, gateway), prompt=prompt)
    return answer, {one.hop: {s.name: s for s in one.settings} for one in found}


async def test_a_good_way_has_ten_settings_and_none_that_bites():
    answer, found = await lab("passthrough")
    assert list(found) == ["engine", "gateway"] and list(found["gateway"]) == NAMES
    assert [s for s in found["gateway"].values() if s.state in ("error", "warning")] == []
    assert found["gateway"]["keep-alive"].state in ("good", "info") and found["engine"]["n"].state != "error"
    assert answer.verdict.healthy is True and len(answer.captures) == 4


@pytest.mark.parametrize(
    ("gateway", "name", "symptom"),
    [("cache-replay", "cache", "content"), ("fake-stream", "streaming", "burst"),
     ("gzip-no-flush", "compression", "burst")],
)  # fmt: skip
async def test_a_setting_that_bites_is_pinned_on_its_hop(gateway, name, symptom):
    answer, found = await lab(gateway)
    assert found["gateway"][name].state == "error" and found["engine"][name].state != "error"
    assert found["gateway"][name].symptom == symptom and found["gateway"][name].fix
    assert (answer.verdict.healthy, answer.verdict.first_bad_hop) == (False, "gateway")


class Odd:
    """An upstream with one oddity: ``json`` (not streamed), ``accept``, ``http10``, ``mixed`` (n under one index),
    ``heads`` (refuses long heads), ``cold`` (503), ``two`` (another model each time), ``midway`` (id changes)."""

    def __init__(self, oddity: str) -> None:
        self.oddity, self.count = oddity, 0

    async def __call__(self, talk: Talk) -> None:
        if talk.body is None:
            await talk.send(b"HTTP/1.1 405 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            return talk.finish()
        self.count += 1
        odd = self.oddity
        if (odd == "heads" and "x-padding" in talk.headers) or odd == "cold":
            status = b"503 Loading" if odd == "cold" else b"431 Large"
            await talk.send(b"HTTP/1.1 %s\r\ncontent-length: 0\r\nconnection: close\r\n\r\n" % status)
            return talk.finish()
        if odd == "json" or (odd == "accept" and "event-stream" not in talk.headers["accept"]):
            message = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}}]}
            body = json.dumps(message).encode()
            head = (
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
            )
            await talk.send(head % len(body), body)
            return talk.finish()
        events = list(self.events(talk.body.get("n", 1)))
        if odd == "http10":
            await talk.send(b"HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", *events)
        else:
            closing = HEAD[:-2] + b"connection: close\r\n\r\n"
            await talk.send(closing, *map(chunk, events), LAST)
        return talk.finish()

    def events(self, n: int):
        model = f"m{self.count}" if self.oddity == "two" else "m"
        for word in range(4):
            second = self.oddity == "midway" and word >= 2
            chunk_of = {"id": f"c{self.count}{'b' if second else ''}", "model": model, "created": self.count}
            choices = [{"index": 0, "delta": {"content": f"w{word} "}}]
            yield b"data: " + json.dumps(chunk_of | {"choices": choices}).encode() + b"\n\n"
        for _ in range(n if self.oddity == "mixed" else 1):
            yield b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
        yield b"data: [DONE]\n\n"


async def odd(oddity: str) -> dict[str, Setting]:
    async with Upstream(Odd(oddity)) as upstream:
        _, (one,) = await check_settings(Route("r", (Hop("engine", url=upstream.url),), "m", SOON), prompt="hi")
    return {setting.name: setting for setting in one.settings}


@pytest.mark.parametrize(
    ("oddity", "name", "state", "says"),
    [
        ("json", "streaming", "error", "switched off"),
        ("accept", "method", "error", "only to those who send Accept"),
        ("http10", "http", "warning", "HTTP/1.0"),
        ("mixed", "n", "error", "mixed"),
        ("heads", "header size", "warning", "431"),
        ("cold", "model", "error", "503"),
        ("two", "upstreams", "warning", "model"),
        ("midway", "upstreams", "error", "within one answer"),
        ("", "n", "info", "ignored"),
        ("", "method", "good", "405"),
    ],
)
async def test_each_oddity_is_said_in_words(oddity, name, state, says):
    setting = (await odd(oddity))[name]
    assert (setting.state, says in setting.words) == (state, True), setting.words


async def test_a_hop_that_is_not_reached_gives_no_verdict():
    answer, found = await check_settings(Route("r", (Hop("engine", url="http://127.0.0.1:1/v1"),), "m", SOON))
    assert answer.verdict.healthy is None and found == [] and "engine" in answer.verdict.summary
