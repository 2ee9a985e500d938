"""What an engine tells from the side about an exchange: the lab's ledger, or how many requests it is busy with."""

from __future__ import annotations

import asyncio
import re
from time import perf_counter
from urllib.parse import quote, urlsplit

import httpx

from harness.capture.format import loads
from harness.capture.model import Capture
from harness.errors import CaptureError
from harness.routes.model import Hop

POLL = 0.05  # seconds between two looks
# Gauges of requests that are being worked on: vLLM, SGLang, llama.cpp (started with --metrics), the lab.
_GAUGE = re.compile(
    r"^(vllm:num_requests_running|sglang:num_running_reqs|llamacpp:requests_processing)(?:\{[^}]*\})? +([0-9.eE+]+)",
    re.M,
)


class Witness:
    """Asks the server behind ``hop`` at its own address; everything it cannot learn is None."""

    def __init__(self, hop: Hop) -> None:
        parts = urlsplit(hop.url)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.metrics_url = hop.metrics_url or f"{self.origin}/metrics"
        self._client = httpx.AsyncClient(trust_env=False, timeout=2.0, verify=hop.verify)

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

    async def busy(self) -> tuple[str, float] | None:
        """Where it was read, and how many requests the engine is working on."""
        answer = await self._get(self.metrics_url)
        if answer is not None and answer.status_code == 200:
            found = _GAUGE.findall(answer.text)
            if found:
                return found[0][0], sum(float(value) for _, value in found)
        answer = await self._get(f"{self.origin}/slots")
        if answer is not None and answer.status_code == 200:
            try:
                slots = answer.json()
            except ValueError:
                return None
            if isinstance(slots, list) and all(isinstance(s, dict) and "is_processing" in s for s in slots):
                return "/slots", float(sum(bool(slot["is_processing"]) for slot in slots))
        return None

    async def idle_after(self, base: float, patience: float) -> float | None:
        """Seconds until no more than ``base`` requests run; None if that does not happen within ``patience``."""
        began = perf_counter()
        while perf_counter() - began < patience:
            now = await self.busy()
            if now is not None and now[1] <= base:
                return perf_counter() - began
            await asyncio.sleep(POLL)
        return None

    async def _get(self, url: str) -> httpx.Response | None:
        try:
            return await self._client.get(url)
        except (httpx.HTTPError, httpx.InvalidURL):
            return None
