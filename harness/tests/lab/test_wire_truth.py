"""What the lab says that it wrote is what stands on the wire: bytes, boundaries, times and ends, by raw socket."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from harness.capture.model import Capture
from harness.lab.gateways.registry import gateways
from harness.lab.raw import Wire, ask
from harness.lab.registry import faults
from harness.lab.server import running
from harness.timeline.metrics import percentile

pytestmark = pytest.mark.alone

FAST = "events=24 rate=120 ttft=20ms"
PARAMS = {
    "stall": "for=300ms at=8", "late-first-byte": "for=300ms", "late-first-token": "for=300ms",
    "periodic-stall": "every=8 for=150ms", "heartbeat": "every=40ms", "late-close": "for=200ms",
    "late-finish": "for=200ms", "trickle": "bytes=64 every=2ms", "utf8-split": "for=2ms", "split-space": "for=2ms",
    "reset": "at=8", "truncate": "at=8",
}  # fmt: skip
OPEN_ENDED = {"hang", "no-first-byte"}
SPEC = {"hold-ms": "hold-ms,for=80ms", "total-cut": "total-cut,after=120ms", "idle-cut": "idle-cut,idle=150ms"}
ENDS = {"complete": "fin", "truncated": "fin", "reset": "reset", "aborted": "left"}


@dataclass(frozen=True)
class Seen:
    wire: Wire
    ledger: Capture


def _body(model: str, mark: str, stream: bool = True) -> dict[str, object]:
    return {"model": model, "stream": stream, "messages": [{"role": "user", "content": f"go [[lab {mark}]]"}]}


async def _noise(lags: list[float]) -> None:
    """What this machine adds by itself: ms by which a timer of this loop is late."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + 0.004
        await asyncio.sleep(0.004)
        lags.append((loop.time() - due) * 1000)


async def _all() -> tuple[dict[str, Seen], list[float]]:
    noise: list[float] = []
    async with running() as lab:
        control = asyncio.get_running_loop().create_task(_noise(noise))
        limit = asyncio.Semaphore(8)

        async def one(name: str, path: str, hop: str, body: dict[str, object], leave: float | None) -> Seen:
            async with limit:
                wire = await ask(lab.base + path, body, {"x-exchange-id": name}, leave_after=leave, limit=20)
            await asyncio.sleep(0)
            for _ in range(200):
                record = lab.ledger.find(name, hop)[-1]
                if record.ending is not None:
                    break
                await asyncio.sleep(0.005)
            return Seen(wire, record.capture())

        jobs = {}
        for name in faults():
            text = "text=emoji " if name == "utf8-split" else ""
            body = _body("lab-steady", f"{text}{FAST} {name} {PARAMS.get(name, '')}")
            jobs[f"fault:{name}"] = ("/v1/chat/completions", "engine", body, 0.6 if name in OPEN_ENDED else None)
        for name, kind in gateways().items():
            path = f"/via/{SPEC.get(name, name)}{kind.path}/chat/completions"
            jobs[f"gateway:{name}"] = (path, "gateway", _body(kind.model, FAST), None)
        names = list(jobs)
        rows = await asyncio.gather(*(one(name, *jobs[name]) for name in names))
        control.cancel()
        await asyncio.wait([control])
        return dict(zip(names, rows, strict=True)), noise


@pytest.fixture(scope="module")
def both() -> tuple[dict[str, Seen], list[float]]:
    return asyncio.run(_all())


@pytest.fixture(scope="module")
def seen(both: tuple[dict[str, Seen], list[float]]) -> dict[str, Seen]:
    return both[0]


CASES = [*(f"fault:{name}" for name in faults()), *(f"gateway:{name}" for name in gateways())]


@pytest.mark.parametrize("case", CASES)
def test_the_ledger_holds_the_bytes_and_boundaries_of_the_wire(seen: dict[str, Seen], case: str) -> None:
    wire, ledger = seen[case].wire, seen[case].ledger
    chunked = "chunked" in wire.header("transfer-encoding")
    written = [data for _, data in ledger.reads()]
    got = [data for _, data in wire.writes()]
    if chunked:
        assert got == written
    else:
        assert b"".join(got) == b"".join(written)
    if ledger.head is None:
        assert wire.raw == b""
    else:
        assert wire.status == ledger.head.status
        assert wire.header("content-type") == ledger.head.get("content-type")


@pytest.mark.parametrize("case", CASES)
def test_the_ledger_knows_how_it_ended(seen: dict[str, Seen], case: str) -> None:
    wire, ledger = seen[case].wire, seen[case].ledger
    assert ledger.end is not None
    assert wire.end == ENDS[ledger.end.kind]
    if wire.end == "fin":
        assert wire.whole == (ledger.end.kind == "complete")


def test_stamps_are_within_5_ms_of_the_wire_at_p95(both: tuple[dict[str, Seen], list[float]]) -> None:
    seen, noise = both
    late = []
    for case in CASES:
        wire, ledger = seen[case].wire, seen[case].ledger
        if "chunked" in wire.header("transfer-encoding"):
            lags = [a - w for (a, _), (w, _) in zip(wire.writes(), ledger.reads(), strict=True)]
            assert not lags or min(lags) > 0.0  # the request left before it came: no read is earlier than its write
            late += [lag - min(lags) for lag in lags]  # without the request's own way
    assert len(late) > 1000
    p95, own = percentile(late, 95), percentile(noise, 95)
    assert p95 is not None and own is not None
    assert p95 < 5.0 + own, f"p95 {p95:.2f} ms over {len(late)} writes, the machine's own {own:.2f} ms"
