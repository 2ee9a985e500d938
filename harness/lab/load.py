"""How well the lab keeps its schedule under load: many streams at once, each write against its plan.

Run as ``python -m harness.lab.load --streams 500``; it starts a lab of its own as a child process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection

from harness.lab.ask import read_ask
from harness.lab.raw import ask
from harness.lab.server import running, settle
from harness.lab.source import make
from harness.timeline.percentile import percentile

SPREAD = 3.0  # s over which the streams start, so that their beats do not coincide


@dataclass(frozen=True, slots=True)
class Load:
    """Lateness of writes against their plan in ms, the share of one core that the lab used, and CPU µs a write."""

    streams: int
    writes: int
    p50: float
    p99: float
    worst: float
    cpu: float
    us_per_write: float


def body(number: int, events: int, rate: float) -> dict[str, object]:
    prompt = f"stream {number} [[lab events={events} rate={rate:g}]]"
    return {"model": "lab-steady", "stream": True, "messages": [{"role": "user", "content": prompt}]}


def measure(streams: int = 500, rate: float = 20.0, seconds: float = 8.0) -> Load:
    """Run ``streams`` at ``rate`` events a second for ``seconds`` each and compare the ledger with the plans."""
    here, there = Pipe()
    lab = Process(target=_lab, args=(there,), daemon=True)
    lab.start()
    try:
        base = here.recv()
        events = max(1, int(rate * seconds))
        asyncio.run(_clients(base, streams, events, rate))
        here.send([(f"load-{i}", body(i, events, rate)) for i in range(streams)])
        late, cpu, wall = here.recv()
    finally:
        lab.terminate()
        lab.join()
    p50, p99, worst = (percentile(late, q) or 0.0 for q in (50, 99, 100))
    return Load(streams, len(late), p50, p99, worst, cpu / wall, cpu * 1e6 / len(late))


async def _clients(base: str, streams: int, events: int, rate: float) -> None:
    async def one(number: int) -> None:
        await asyncio.sleep(SPREAD * number / streams)
        wire = await ask(
            base + "/v1/chat/completions", body(number, events, rate), {"x-exchange-id": f"load-{number}"}, limit=120
        )
        if not wire.whole:
            raise RuntimeError(f"stream {number} ended {wire.end} after {len(wire.reads)} reads")

    await asyncio.gather(*(one(i) for i in range(streams)))


def _lab(pipe: Connection) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        async with running() as lab:
            settle()
            used, began = _cpu(), loop.time()
            pipe.send(lab.base)
            rows = await loop.run_in_executor(None, pipe.recv)
            cpu, wall = _cpu() - used, loop.time() - began
            late: list[float] = []
            for key, asked in rows:
                plan = make(read_ask("chat", asked, {"x-exchange-id": key})).plan
                record = lab.ledger.find(key)[-1]
                late += [t - e.at for t, e in zip(record.times, plan.emissions, strict=True)]
            pipe.send((late, cpu, wall))

    asyncio.run(main())


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m harness.lab.load", description=__doc__)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--seconds", type=float, default=8.0)
    args = parser.parse_args(argv)
    found = measure(args.streams, args.rate, args.seconds)
    row = {name: round(getattr(found, name), 3) for name in Load.__slots__}
    print(json.dumps({**row, "machine_load": round(os.getloadavg()[0], 1)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
