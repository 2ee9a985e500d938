"""Exported traces in Perfetto's own trace processor, asked in SQL by the ``perfetto`` package's client."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from perfetto.trace_processor import TraceProcessor
from playwright.async_api import Browser

from e2e.conftest import Product, manage
from e2e.parts.trace_processor import trace_processor

WORDS = [f"word{number} " for number in range(120)]
END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
STEP = 7.123456  # ms: nanoseconds count

TROUBLE = "select name, severity, value from stats where value > 0 and severity != 'info'"
PROCESSES = "select pid, name from process where pid > 0 order by pid"
TRACKS = """
  select p.name as hop, t.name as track, t.is_main_thread as main, count(s.id) as slices
  from thread t join process p using (upid) join thread_track k using (utid) join slice s on s.track_id = k.id
  where p.pid > 0 group by k.id order by p.pid"""
SLICES = """
  select p.name as hop, s.category, s.name, s.ts, s.dur, s.depth, extract_arg(s.arg_set_id, 'args.event') as event,
    extract_arg(s.arg_set_id, 'args.t_ms') as t_ms, extract_arg(s.arg_set_id, 'args.chars') as chars
  from slice s join thread_track k on s.track_id = k.id join thread using (utid) join process p using (upid)
  order by p.pid, s.ts, s.depth"""
FLOWS = """
  with at as (
    select s.id, p.name as hop, extract_arg(s.arg_set_id, 'args.event') as event
    from slice s join thread_track k on s.track_id = k.id join thread using (utid) join process p using (upid))
  select a.hop as inner, a.event as sent, b.hop as outer, b.event as got
  from flow f join at a on a.id = f.slice_out join at b on b.id = f.slice_in"""
COUNTERS = """
  select t.name, max(c.value) as value from counter c join counter_track t on c.track_id = t.id
  group by t.id order by t.id"""


def event(text: str) -> str:
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': text}}]})}\n\n"


def capture(path: Path, hop: str, reads: list[tuple[float, str]], **more: Any) -> str:
    """A capture file of what ``hop`` sent, read by read."""
    lines: list[dict[str, Any]] = [{"capture": 1, "hop": hop, "wire": "openai", **more}]
    lines.append({"t": 3.25, "status": 200, "headers": [["content-type", "text/event-stream"]]})
    lines += [{"t": t, "data": data} for t, data in reads]
    lines.append({"t": reads[-1][0] + 1, "end": "complete"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def recordings(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.glob("*.capture.jsonl"))


def export(target: Path, files: list[str]) -> Path:
    manage("convert", *files, "--to", "perfetto", "-o", str(target), env={})
    return target


@pytest.fixture(scope="module")
def route(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three hops: the engine sends words, the gateway joins each two of them, the proxy lets all go at the end."""
    folder = tmp_path_factory.mktemp("trace")
    inner = [(10 + STEP * i, event(word)) for i, word in enumerate(WORDS)]
    pairs = [(STEP * (i + 1) + 15, event(WORDS[i] + WORDS[i + 1])) for i in range(0, len(WORDS), 2)]
    files = [
        capture(folder / "a", "engine", [*inner, (inner[-1][0] + 5, END)], exchange="ex-1",
                sent_at="2026-11-30T12:00:00.020000Z"),
        capture(folder / "b", "gateway", [*pairs, (pairs[-1][0] + 5, END)], exchange="ex-1",
                sent_at="2026-11-30T12:00:00.000000Z", clock={"id": "b", "offset_ms": 15.5}),
        capture(folder / "c", "proxy", [(pairs[-1][0] + 20, "".join(text for _, text in pairs) + END)],
                exchange="ex-1", sent_at="2026-11-30T12:00:00.000000Z"),
    ]  # fmt: skip
    return export(folder / "trace.json", files)


@pytest.fixture
def ask(browser: Browser) -> Callable[..., Any]:
    """Load a trace as a user of the ``perfetto`` package does, and give the rows of each query."""

    async def load(trace: Path, *queries: str) -> list[list[dict[str, Any]]]:
        def work(addr: str) -> list[list[dict[str, Any]]]:
            with TraceProcessor(trace=str(trace), addr=addr) as processor:
                return [[dict(row.__dict__) for row in processor.query(query)] for query in queries]

        async with trace_processor(browser) as addr:
            return await asyncio.to_thread(work, addr)

    return load


@pytest.mark.asyncio(loop_scope="session")
async def test_a_trace_loads_with_a_process_a_hop_and_a_track_an_exchange(ask, route: Path) -> None:
    trouble, processes, tracks, counters = await ask(route, TROUBLE, PROCESSES, TRACKS, COUNTERS)
    assert trouble == [], "the trace processor lost or refused something"
    assert processes == [{"pid": 1, "name": "engine"}, {"pid": 2, "name": "gateway"}, {"pid": 3, "name": "proxy"}]
    # Beside the events, the exchange and the wait for its head.
    half, whole = len(WORDS) // 2 + 4, len(WORDS) + 4
    assert [(row["hop"], row["track"], row["slices"]) for row in tracks] == [
        ("engine", "read ex-1", whole), ("gateway", "read ex-1", half), ("proxy", "read ex-1", half),
    ]  # fmt: skip
    assert not any(row["main"] for row in tracks)
    size = float(len("".join(WORDS)))
    assert [(row["name"], row["value"]) for row in counters] == [(f"read {n} characters", size) for n in (4, 5, 6)]


@pytest.mark.asyncio(loop_scope="session")
async def test_its_times_are_those_of_the_captures_to_the_nanosecond(ask, route: Path) -> None:
    (slices,) = await ask(route, SLICES)
    starts = {"engine": 20_000_000, "gateway": 15_500_000, "proxy": 0}
    for hop, start in starts.items():
        exchange, wait, *events = [row for row in slices if row["hop"] == hop]
        assert (exchange["category"], exchange["ts"], exchange["depth"]) == ("exchange", start, 0)
        assert (wait["name"], wait["ts"], wait["dur"]) == ("waits for the head", start, 3_250_000)
        assert [row["event"] for row in events] == list(range(len(events)))
        assert {row["depth"] for row in events} == {1}
        assert [row["name"] for row in events[-2:]] == ["finish", "terminator"]
        assert all(row["ts"] + row["dur"] <= exchange["ts"] + exchange["dur"] for row in events)
        assert sum(row["chars"] for row in events) == len("".join(WORDS))
        # Events of one read stand a nanosecond apart, since slices of one track must not overlap.
        late = [row["ts"] - start - round(row["t_ms"] * 1e6) for row in events]
        assert late == (list(range(len(events))) if hop == "proxy" else [0] * (len(events) - 1) + [1])


@pytest.mark.asyncio(loop_scope="session")
async def test_its_arrows_link_each_event_to_the_one_that_carries_it_on(ask, route: Path) -> None:
    (flows,) = await ask(route, FLOWS)
    found = Counter(tuple(row.values()) for row in flows)
    joined = [("engine", event, "gateway", event // 2) for event in range(len(WORDS))]
    assert found == Counter([*joined, *(("gateway", event, "proxy", event) for event in range(len(WORDS) // 2))])


@pytest.mark.asyncio(loop_scope="session")
async def test_odd_captures_load_too(ask, tmp_path: Path) -> None:
    files = [
        capture(tmp_path / "a", 'e"n\\g\u2028ine 引擎 \ud83d\ude00', [(5.0, event("x\ud800")), (5.0, ""), (1e7, END)]),
        capture(tmp_path / "b", "gateway", [(0.0, "no event")], repeat=1),
        capture(
            tmp_path / "c", "proxy\ud800", [(9e9, event("x") * 3)], sent_at="1970-01-01T00:00:00Z", exchange="\0\x1b"
        ),
    ]
    (tmp_path / "d").write_text('{"capture": 1, "hop": "browser"}\n')
    trouble, processes, slices = await ask(
        export(tmp_path / "trace.json", [*files, str(tmp_path / "d")]), TROUBLE, PROCESSES, SLICES
    )
    assert trouble == [] and len(processes) == 4
    assert processes[0]["name"] == 'e"n\\g\u2028ine 引擎 \U0001f600'
    assert Counter(row["category"] for row in slices) == {"exchange": 4, "head": 3, "event": 6}


@pytest.mark.asyncio(loop_scope="session")
async def test_the_trace_of_a_ladder_through_the_lab_loads(scope: Product, ask, tmp_path: Path) -> None:
    arguments = ["ladder", "lab-buffer-until-end", "--repeat", "2", "--save", str(tmp_path)]
    manage(*arguments, env=scope.env, want=1)
    files = recordings(tmp_path)
    trouble, processes, tracks, flows = await ask(
        export(tmp_path / "trace.json", files), TROUBLE, PROCESSES, TRACKS, FLOWS
    )
    assert trouble == []
    assert [row["name"] for row in processes] == ["engine", "gateway"]
    assert len(tracks) == len(files) and {row["slices"] for row in tracks} == {tracks[0]["slices"]}
    # The engine's own record of each exchange stands beside what was read from it.
    assert {(row["inner"], row["outer"]) for row in flows} == {("engine", "engine"), ("engine", "gateway")}
