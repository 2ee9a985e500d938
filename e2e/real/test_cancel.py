"""Stop is followed to a real llama.cpp: by its metrics, by its slots, and from behind a proxy."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from e2e.parts.llama import llama
from e2e.parts.part import Part, running_part
from e2e.parts.proxies import NGINX
from e2e.parts.toy_model import write_toy_model
from harness.probe.tap import Tap, listening
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.cancel import STALL, cancel

pytestmark = pytest.mark.asyncio(loop_scope="session")
LONG = {"max_tokens": 3500, "logit_bias": [[2, False]]}
HELD_FROM = 20_000  # bytes
WELL = "proxy_http_version 1.1; proxy_buffering off;"


def needs(part: Part) -> pytest.MarkDecorator:
    return pytest.mark.skipif(part.binary is None, reason=f"{part.name} is not installed: {part.install}")


@dataclass(frozen=True)
class Served:
    engine: str
    proxy: str

    def route(self, *, metrics: bool = True, engine: bool = True) -> Route:
        """``metrics`` False: its metrics' address leads nowhere; ``engine`` False: it is itself out of reach."""
        counts = f"{self.engine}/metrics" if metrics else f"{self.engine}/no-metrics"
        url = f"{self.engine}/v1" if engine else "http://127.0.0.1:1/v1"
        hops = (Hop("engine", url=url, metrics_url=counts, body=LONG),
                Hop("front", "proxy", url=f"{self.proxy}/v1", body=LONG))  # fmt: skip
        return Route("real", hops, "toy", Timeouts(5, 20, 60))


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_toy_model(tmp_path_factory.mktemp("toy") / "toy.gguf")


@contextlib.asynccontextmanager
async def served(folder: Path, model: Path, options: str = WELL) -> AsyncIterator[Served]:
    engine = llama(folder / "llama", model)
    base = await asyncio.to_thread(engine.__enter__)
    try:
        proxy = running_part(NGINX, base, options)
        item = await asyncio.to_thread(proxy.__enter__)
        try:
            yield Served(base, item.url)
        finally:
            await asyncio.to_thread(proxy.__exit__, None, None, None)
    finally:
        await asyncio.to_thread(engine.__exit__, None, None, None)


@needs(NGINX)
@pytest.mark.parametrize(
    ("metrics", "witness"), [(True, "llamacpp:requests_processing"), (False, "/slots")], ids=["metrics", "slots"]
)
async def test_llama_cpp_tells_that_it_stopped(metrics: bool, witness: str, toy: Path, tmp_path: Path) -> None:
    async with served(tmp_path, toy) as there:
        answer, trials = await cancel(there.route(metrics=metrics), within=1.5)
    told = [t for t in trials if t.moment != STALL]
    assert [(t.hop, t.cancelled, t.witness) for t in told] == [
        (hop, True, witness) for hop in ("engine", "engine", "front", "front")
    ], "\n".join(str(t) for t in trials)
    stalls = [t for t in trials if t.moment == STALL]
    assert [t.cancelled for t in stalls] == [None, None] and all("no stall of 2 s came" in t.because for t in stalls)
    assert answer.verdict.healthy is True


@needs(NGINX)
async def test_the_engine_s_metrics_alone_tell_of_what_stands_before_it(toy: Path, tmp_path: Path) -> None:
    async with served(tmp_path, toy) as there:
        answer, trials = await cancel(there.route(engine=False), within=0)
    assert [(t.hop, t.cancelled) for t in trials] == [("engine", None)] * 2 + [("front", True)] * 2
    assert answer.verdict.healthy is True


async def test_a_tap_that_is_held_is_a_stall_in_which_the_engine_is_left(toy: Path, tmp_path: Path) -> None:
    """The line falls silent after some text; closing it then frees the engine's slot."""
    engine = llama(tmp_path / "llama", toy)
    base = await asyncio.to_thread(engine.__enter__)
    try:
        over: list[str] = []
        tap = Tap(base, lambda taken: over.append(taken[0].request.method if taken[0].request else ""))
        async with listening(tap, "127.0.0.1", 0) as (host, port):
            hop = Hop("engine", url=f"http://{host}:{port}/v1", metrics_url=f"{base}/metrics", body=LONG)
            holding = asyncio.ensure_future(hold(tap, over))
            _, trials = await cancel(Route("real", (hop,), "toy", Timeouts(5, 20, 60)), silence=0.5, within=10)
            holding.cancel()
    finally:
        await asyncio.to_thread(engine.__exit__, None, None, None)
    stall = trials[-1]
    assert stall.moment == STALL and stall.cancelled is True, [str(t) for t in trials]


async def hold(tap: Tap, over: list[str]) -> None:
    """Read nothing more from the engine once so much has come of the third exchange."""
    while True:
        for client in list(tap.clients):
            line = client.up.transport if client.up is not None else None
            recorder = client.watched.ongoing
            came = len(recorder.body) if recorder is not None else 0
            if over.count("POST") >= 2 and came > HELD_FROM and line is not None and line.is_reading():
                line.pause_reading()
        await asyncio.sleep(0.005)
