"""The fifteen broken streams that field clients take for good ones, and the healthy one, over a real socket.

Each has twenty content events 20 ms apart, as in the comparison of clients. The raw socket's reads become a capture,
and the diagnosis must class it; streams that are legal must come out healthy.
"""

from __future__ import annotations

import asyncio

import pytest

from harness.capture.model import Capture, End, Head, stamped
from harness.diagnose.run import diagnose
from harness.lab.raw import Wire, ask
from harness.lab.server import running

SICK = {
    "early-end at=10": "truncation", "duplicate at=7": "duplicate", "reorder at=7 every=0": "reorder",
    "drop at=7 every=0": "loss", "burst": "burst", "stall at=10 for=3s": "stall", "error at=10": "error",
    "reset at=10": "reset", "truncate at=10": "truncation",
}  # fmt: skip
LEGAL = ["", "no-done", "comments", "event-line", "crlf", "u2028 at=7", "split-space"]


def capture(wire: Wire) -> Capture:
    body, times, ends = stamped(wire.writes())
    headers = tuple((n, wire.header(n)) for n in ("content-type", "transfer-encoding") if wire.header(n))
    kind = "complete" if wire.whole else {"fin": "truncated", "reset": "reset"}[wire.end]
    head = Head(wire.reads[0][0], wire.status, "1.1", headers)
    return Capture("engine", "engine", head=head, body=body, times=times, ends=ends, end=End(wire.end_ms, kind))


@pytest.fixture(scope="module")
def wires() -> dict[str, Wire]:
    async def run() -> dict[str, Wire]:
        async with running() as lab:

            async def one(mark: str) -> Wire:
                prompt = f"go [[lab events=20 rate=50 ttft=400ms {mark}]]"
                body = {"model": "lab-steady", "stream": True, "messages": [{"role": "user", "content": prompt}]}
                return await ask(lab.base + "/v1/chat/completions", body)

            marks = [*SICK, *LEGAL]
            return dict(zip(marks, await asyncio.gather(*map(one, marks)), strict=True))

    return asyncio.run(run())


@pytest.mark.parametrize("mark", SICK)
def test_a_broken_stream_is_classed_and_not_taken_for_a_success(wires: dict[str, Wire], mark: str) -> None:
    verdict = diagnose([capture(wires[mark])]).verdict
    assert (verdict.healthy, verdict.symptom) == (False, SICK[mark])


@pytest.mark.parametrize("mark", LEGAL, ids=lambda mark: mark or "healthy")
def test_a_legal_stream_is_healthy(wires: dict[str, Wire], mark: str) -> None:
    answer = diagnose([capture(wires[mark])])
    assert answer.verdict.healthy is True
    assert [f.code for f in answer.findings if f.severity != "info"] == (
        ["truncation.no-terminator"] if mark == "no-done" else []
    )
