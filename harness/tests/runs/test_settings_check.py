"""Ten settings that bite, against the lab's gateways and scripted upstreams."""

from __future__ import annotations

import asyncio
import json

import pytest

from harness.lab.gateways.registry import gateways
from harness.lab.server import running
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.asked_twice import Setting
from harness.runs.settings_check import check_settings
from harness.tests.probe.fake_http2 import Http2Upstream
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk

SOON = Timeouts(5, 20, 60)
REST = 0.4
QUICK = "count [[lab events=16 rate=40]]"
NAMES = [
    "streaming", "cache", "upstreams", "compression", "method", "http", "model", "n", "keep-alive", "header size",
]  # fmt: skip


@pytest.fixture(autouse=True)
def short_rest(monkeypatch):
    """A kept connection rests this long instead of seconds."""
    monkeypatch.setattr("harness.runs.asking.IDLE_S", REST)
    monkeypatch.setattr("harness.probe.kept.GREETING", 0.5)


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


@pytest.mark.parametrize(
    ("fault", "state", "symptom", "says"),
    [
        ("", "good", "headers", "in the clear, streams too (12 events in"),
        ("lumps", "error", "burst", "over HTTP/2 12 events in 1 read"),
        ("reset", "error", "reset", "over HTTP/2 the answer is reset"),
        ("goaway", "error", "reset", "over HTTP/2 the answer is reset"),
        ("refuses", "error", "error", "over HTTP/2 the answer is 421, over HTTP/1.1 it is 200"),
        ("whole", "error", "not-streamed", "over HTTP/2 the answer is no stream"),
        ("silent", "good", "headers", "is not spoken"),
        ("garbage", "good", "headers", "is not spoken"),
    ],
)
async def test_what_http_2_makes_of_the_answer_is_told(fault, state, symptom, says):
    async with Http2Upstream(fault) as upstream:
        _, (one,) = await check_settings(Route("r", (Hop("engine", url=upstream.url),), "m", SOON), prompt="hi")
    setting = next(s for s in one.settings if s.name == "http")
    assert (setting.state, setting.symptom) == (state, symptom) and says in setting.words, setting.words
    assert setting.state == "good" or setting.fix


class Again:
    """Keeps its connections; the second answer on one has a fault: ``lumps``, ``late``, ``mixed`` (an event of the
    first), ``leftover`` (bytes after the last chunk), ``reset``, ``cut``; or ``closes`` (after a rest), ``drops``
    (the third is reset), ``hangs up`` (after each answer, unannounced)."""

    def __init__(self, fault: str) -> None:
        self.fault, self.answers = fault, 0

    async def __call__(self, talk: Talk) -> None:
        number = 0
        while True:
            number += 1
            if talk.body is None:
                await talk.send(b"HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n")
            elif (number, self.fault) in ((2, "reset"), (3, "drops")):
                return talk.reset()
            else:
                await self.answer(talk, number)
            if self.fault == "hangs up":
                return talk.finish()
            try:
                async with asyncio.timeout(REST / 2 if self.fault == "closes" and number == 2 else None):
                    await talk.read_request()
            except TimeoutError:
                return talk.finish()

    async def answer(self, talk: Talk, number: int) -> None:
        self.answers += 1
        fault = self.fault if number == 2 else ""
        names = [f"c{self.answers}"] * 8
        if fault == "mixed":
            names[3] = f"c{self.answers - 1}"
        if fault == "late":
            await asyncio.sleep(0.7)
        parts = []
        for n, name in enumerate(names):
            event = {"id": name, "choices": [{"index": 0, "delta": {"content": f"w{n} "}}]}
            parts.append(chunk(b"data: " + json.dumps(event).encode() + b"\n\n"))
        await talk.send(HEAD)
        if fault == "lumps":
            await asyncio.sleep(0.03 * len(parts))
            parts = [b"".join(parts)]
        for part in parts:
            await talk.send(part)
            await asyncio.sleep(0.03)
        if fault == "cut":
            return talk.finish()
        end = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
        more = b"data: more\n\n" if self.fault == "leftover" and number == 1 else b""
        await talk.send(chunk(end), LAST + more)


@pytest.mark.parametrize(
    ("fault", "state", "symptom", "says"),
    [
        ("", "good", "headers", "streams too (8 events in"),
        ("lumps", "error", "burst", "comes in lumps"),
        ("late", "warning", "first-byte", "begins after"),
        ("mixed", "error", "interleave", "holds events of the first"),
        ("leftover", "error", "interleave", "bytes that are not its own"),
        ("reset", "error", "reset", "a second request over the same connection fails"),
        ("cut", "error", "reset", "a second request over the same connection fails"),
        ("closes", "info", "reset", "an idle connection is closed after 0.2 s"),
        ("drops", "error", "reset", "after 0.4 s at rest a request over the same connection fails"),
        ("hangs up", "info", "headers", "closed after one answer, though no header says so"),
    ],
)
async def test_a_connection_that_is_used_again_is_stamped_and_judged(fault, state, symptom, says):
    async with Upstream(Again(fault)) as upstream:
        _, (one,) = await check_settings(Route("r", (Hop("engine", url=upstream.url),), "m", SOON), prompt="hi")
    setting = next(s for s in one.settings if s.name == "keep-alive")
    assert (setting.state, setting.symptom) == (state, symptom) and says in setting.words, setting.words
    assert setting.state == "good" or fault == "hangs up" or setting.fix


async def test_an_answer_that_is_over_at_once_is_not_called_a_lump():
    async def script(talk: Talk) -> None:
        if talk.body is None:
            await talk.send(b"HTTP/1.1 405 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            return talk.finish()
        words = b"".join(b'data: {"choices":[{"index":0,"delta":{"content":"w%d "}}]}\n\n' % n for n in range(30))
        end = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
        await talk.send(HEAD[:-2] + b"connection: close\r\n\r\n", chunk(words + end), LAST)
        talk.finish()

    async with Upstream(script) as upstream:
        answer, (one,) = await check_settings(Route("r", (Hop("engine", url=upstream.url),), "m", SOON), prompt="hi")
    assert next(s for s in one.settings if s.name == "streaming").state == "good", one.settings[0]
    assert answer.verdict.healthy is True
