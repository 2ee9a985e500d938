"""The synthesiser: deterministic, in order, and at one with the socket."""

from __future__ import annotations

import asyncio
import zlib
from dataclasses import replace
from itertools import pairwise

import pytest

from harness.capture.format import dumps, loads
from harness.capture.model import Capture
from harness.lab.ask import read_ask
from harness.lab.gateways.registry import gateways, open_gateway
from harness.lab.gateways.virtual import through
from harness.lab.markers import Call
from harness.lab.raw import Wire, ask
from harness.lab.registry import faults
from harness.lab.scenarios import built_in
from harness.lab.server import running
from harness.lab.source import make
from harness.lab.synth import chat, ladder, way
from harness.timeline.percentile import percentile

JITTERY = replace(built_in()["lab-steady"], jitter=0.3, events=40)
ALL = ("engine", "gateway", "app", "proxy", "browser")


def test_the_same_seed_gives_the_same_captures_and_another_seed_other_times() -> None:
    assert chat(JITTERY, 1, way(*ALL)) == chat(JITTERY, 1, way(*ALL))
    assert list(chat(JITTERY, 1)[0].times) != list(chat(JITTERY, 2)[0].times)


def test_one_chat_has_a_capture_a_tap_innermost_first() -> None:
    taps = [(c.hop, c.tap) for c in chat(JITTERY, 1, way(*ALL))]
    assert taps == [
        ("engine", "emit"), ("gateway", "read"), ("app", "write"), ("proxy", "arrive"), ("browser", "paint"),
    ]  # fmt: skip


def test_bytes_are_the_same_at_every_hop_and_never_arrive_before_they_were_written() -> None:
    captures = chat(JITTERY, 3, way(*ALL))
    for inner, outer in pairwise(captures):
        assert inner.body == outer.body
        for offset in range(0, len(inner.body or b""), 97):
            assert outer.times[outer.read_of(offset)] >= inner.times[inner.read_of(offset)]


def test_paints_keep_the_50_ms_law() -> None:
    paint = chat(replace(JITTERY, rate=200), 1, way("engine", "app", "browser"))[-1]
    gaps = [b - a for a, b in pairwise(paint.times)]
    assert min(gaps[:-1]) >= 45


def test_repeats_go_in_turn_and_differ_in_time_not_in_text() -> None:
    found = ladder(JITTERY, 1, repeats=3)
    assert [(c.hop, c.repeat) for c in found] == [(h, r) for r in range(3) for h in ("engine", "gateway")]
    assert found[0].times != found[2].times


@pytest.mark.parametrize("at", ["engine", "gateway", "app", "proxy"])
def test_a_fault_shows_from_the_hop_on_where_it_was_planted(at: str) -> None:
    places = [replace(p, faults=(Call("drop", {"at": 5, "every": 0}),)) if p.name == at else p for p in way(*ALL)]
    for capture in chat(JITTERY, 1, places):
        lost = b'" t5"' not in (capture.body or b"")
        assert lost == (ALL.index(capture.hop) >= ALL.index(at))


def test_an_inner_hop_sees_that_the_one_in_front_broke_off() -> None:
    places = [replace(p, faults=(Call("truncate"),)) if p.name == "app" else p for p in way(*ALL)]
    ends = [c.end.kind for c in chat(JITTERY, 1, places) if c.end]
    assert ends == ["aborted", "aborted", "truncated", "truncated", "truncated"]


@pytest.mark.parametrize("name", faults())
def test_every_synthetic_capture_survives_the_file_format(name: str) -> None:
    places = [replace(p, faults=(Call(name),)) if p.name == "engine" else p for p in way(*ALL)]
    for capture in chat(JITTERY, 1, places):
        assert loads(dumps(capture)) == capture


def test_an_engine_under_load_is_slower_in_virtual_time_too() -> None:
    small = replace(built_in()["lab-sim-small"], events=30)
    calm, busy = ladder(small, 1, way("engine"))[0], ladder(replace(small, load=20), 1, way("engine"))[0]
    assert busy.times[-1] > 2 * calm.times[-1] and busy.body == calm.body


SHORTER = {"late-first-byte", "late-first-token", "late-close", "late-finish", "periodic-stall", "stall"}


@pytest.fixture(scope="module")
def socket() -> dict[str, tuple[Wire, Capture]]:
    """Every fault once over a socket, and what the lab's ledger says."""

    async def run() -> dict[str, tuple[Wire, Capture]]:
        async with running() as lab:
            turn = asyncio.Semaphore(6)

            async def one(name: str) -> tuple[Wire, Capture]:
                async with turn:
                    wire = await ask(lab.base + "/v1/chat/completions", body(name), {"x-exchange-id": "k" + name})
                return wire, lab.ledger.find("k" + name)[-1].capture()

            names = [n for n in faults() if n not in ("hang", "no-first-byte")]
            rows = await asyncio.gather(*(one(n) for n in names))
            return dict(zip(names, rows, strict=True))

    return asyncio.run(run())


def body(name: str) -> dict[str, object]:
    knobs = "for=200ms" if name in SHORTER else "every=2ms" if name == "trickle" else ""
    prompt = f"go [[lab events=20 rate=100 {name} {knobs}]]"
    return {"model": "lab-steady", "stream": True, "messages": [{"role": "user", "content": prompt}]}


@pytest.mark.parametrize("name", [n for n in faults() if n not in ("hang", "no-first-byte")])
def test_socket_and_plan_agree_on_every_write_and_end(socket: dict[str, tuple[Wire, Capture]], name: str) -> None:
    _, ledger = socket[name]
    plan = make(read_ask("chat", body(name), {"x-exchange-id": "k" + name})).plan
    assert [data for _, data in ledger.reads()] == [plan.encode(e) for e in plan.emissions if plan.encode(e)]
    assert ledger.end is not None
    assert ledger.end.kind == {"complete": "complete", "cut": "truncated", "reset": "reset"}[plan.end]


def test_the_socket_keeps_the_plans_times(socket: dict[str, tuple[Wire, Capture]]) -> None:
    late = []
    for name, (_, ledger) in socket.items():
        plan = make(read_ask("chat", body(name), {"x-exchange-id": "k" + name})).plan
        due = [e.at for e in plan.emissions if plan.encode(e)]
        late += [t - at for t, at in zip(ledger.times, due, strict=True)]
    assert min(late) > -0.5  # never early
    median = percentile(late, 50)
    assert median is not None and median < 10


@pytest.mark.parametrize("name", [g for g in gateways() if g not in ("racing-rewrite", "fake-stream", "cache-replay")])
async def test_socket_and_virtual_gateway_write_the_same(name: str) -> None:
    prompt = "go [[lab events=16 rate=200 key=k]]"
    asked = {"model": "lab-steady", "stream": True, "messages": [{"role": "user", "content": prompt}]}
    kind = gateways()[name]
    async with running() as lab:
        wire = await ask(f"{lab.base}/via/{name}{kind.path}/chat/completions", asked)
    gateway = open_gateway(name)
    made = through(gateway, make(read_ask("chat", gateway.ask(asked), {})).plan, asked)
    got, expected = b"".join(data for _, data in wire.writes()), made.body()
    if name.startswith("gzip"):  # where it is flushed depends on how the reads fell
        got, expected = zlib.decompress(got, 31), zlib.decompress(expected, 31)
    assert got == expected
    assert wire.status == made.status
