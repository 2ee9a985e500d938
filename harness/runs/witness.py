"""What an engine tells from the side about an exchange: the lab's ledger, or how many requests it is busy with."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from urllib.parse import quote, urlsplit

import httpx

from harness.capture.format import loads
from harness.capture.model import Capture
from harness.errors import CaptureError
from harness.probe.transport import plain_client
from harness.routes.model import Hop
from harness.tasks import start

POLL = 0.05  # seconds between two looks
RISES = 0.25  # seconds after the head in which a gauge shows a request (llama.cpp: some 10 ms later)
# Gauges of requests that are being worked on: vLLM, SGLang, LMDeploy, llama.cpp (started with --metrics), TGI. Some
# scrapers write ``_`` for ``:``.
_GAUGE = re.compile(
    r"^(vllm[:_]num_requests_running|sglang[:_]num_running_reqs|lmdeploy[:_]num_requests_running"
    r"|llamacpp[:_]requests_processing|tgi_batch_current_size)(?:\{[^}]*\})? +([0-9.eE+]+)",
    re.M,
)
# Counters of requests that were aborted: vLLM's by reason, SGLang's own. The others count none.
_ABORTED = re.compile(
    r"^(vllm[:_]request_success_total(?=\{[^}]*finished_reason=\"abort\")|sglang[:_]num_aborted_requests_total)"
    r"(?:\{[^}]*\})? +([0-9.eE+]+)",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Tally:
    """``running``: requests that the engine works on, by the gauge ``name``; ``aborted``: how many it has aborted
    since it started, by the counter ``counter``, None where it counts none."""

    name: str
    running: float
    counter: str = ""
    aborted: float | None = None


@dataclass(frozen=True, slots=True)
class Noticed:
    """``seconds`` until the engine was seen to stop. ``how``: ``counted`` an abort (under ``counter``), or was ``idle``
    again."""

    seconds: float
    how: str
    counter: str = ""


class Witness:
    """Asks the server behind ``hop`` at its own address; everything it cannot learn is None."""

    def __init__(self, hop: Hop) -> None:
        parts = urlsplit(hop.url)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.metrics_url = hop.metrics_url or f"{self.origin}/metrics"
        self._client = plain_client(hop, 2.0)

    async def aclose(self) -> None:
        await self._client.aclose()

    async def ledger(self, key: str, patience: float) -> Capture | None:
        """The lab's own record of an exchange, once it has ended or ``patience`` seconds have passed."""
        until = perf_counter() + patience
        while True:
            answer = await self._get(f"{self.origin}/ledger/{quote(key)}")
            if answer is None or answer.status_code != 200:
                return None
            try:
                capture = loads(answer.content, "ledger")
            except CaptureError:
                return None
            if capture.end is None or capture.end.kind != "open" or perf_counter() > until:
                return capture
            await asyncio.sleep(POLL)

    async def tally(self) -> Tally | None:
        """What the engine counts, from its metrics or (llama.cpp) its slots."""
        answer = await self._get(self.metrics_url)
        if answer is not None and answer.status_code == 200:
            found, aborted = _GAUGE.findall(answer.text), _ABORTED.findall(answer.text)
            if found:
                running = sum(float(value) for _, value in found)
                count = sum(float(value) for _, value in aborted) if aborted else None
                return Tally(found[0][0], running, aborted[0][0] if aborted else "", count)
        answer = await self._get(f"{self.origin}/slots")
        if answer is not None and answer.status_code == 200:
            try:
                slots = answer.json()
            except ValueError:
                return None
            if isinstance(slots, list) and all(isinstance(s, dict) and "is_processing" in s for s in slots):
                return Tally("/slots", float(sum(bool(slot["is_processing"]) for slot in slots)))
        return None

    async def noticed(self, before: Tally, patience: float, grace: float = 0.5) -> Noticed | None:
        """When the engine counted one abort more than ``before``, or ran no more than then; None if neither happened
        within ``patience`` seconds. An engine that counts aborts gets ``grace`` seconds to count after it is idle."""
        began, idle = perf_counter(), None
        while (since := perf_counter() - began) < patience:
            now = await self.tally()
            if now is not None and (now.aborted or 0.0) > (before.aborted or 0.0):  # older vLLM begins with the first
                return Noticed(since, "counted", now.counter)
            if idle is None and now is not None and now.running <= before.running:
                idle = since
            if idle is not None and (before.aborted is None or since - idle > grace):
                break
            await asyncio.sleep(POLL)
        return None if idle is None else Noticed(idle, "idle")

    @asynccontextmanager
    async def watching(self, before: Tally | None) -> AsyncIterator[Peak]:
        """Looks again and again while the block runs, so that a request that came and went was seen."""
        peak = Peak(self, before)
        task = start(peak.follow(), "watch the engine") if before is not None else None
        try:
            yield peak
        finally:
            if task is not None:
                task.cancel()

    async def _get(self, url: str) -> httpx.Response | None:
        try:
            return await self._client.get(url)
        except (httpx.HTTPError, httpx.InvalidURL):
            return None


class Peak:
    """``risen``: whether the gauge was above ``before`` at some look."""

    def __init__(self, witness: Witness, before: Tally | None) -> None:
        self.witness, self.before, self.risen = witness, before, False

    async def look(self) -> None:
        now = await self.witness.tally() if self.before is not None and not self.risen else None
        self.risen = self.risen or (now is not None and self.before is not None and now.running > self.before.running)

    async def last_look(self) -> None:
        """Just before the close: a request that has only begun gets RISES seconds to show."""
        until = perf_counter() + RISES
        await self.look()
        while self.before is not None and not self.risen and perf_counter() < until:
            await asyncio.sleep(POLL / 2)
            await self.look()

    async def follow(self) -> None:
        while not self.risen:
            await self.look()
            await asyncio.sleep(POLL)
