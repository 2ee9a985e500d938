"""Measure rows of the table: start each setting's parts before the lab, ask every hop, and find in the lab's ledger
what it sent of the very exchange that came out."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import threading
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

from e2e.parts.part import Running, running_part
from e2e.real.judge import Measured, Taken, judge
from e2e.real.row import LEAVES, MARKERS, Row, Setting
from e2e.real.sources import scenarios
from harness.capture.model import Capture
from harness.lab.desk import Lab
from harness.lab.ledger import Record
from harness.lab.server import running as lab_running
from harness.probe.clock import host_clock
from harness.probe.exchange import open_exchange, probe
from harness.probe.recorder import MemoryRecorder
from harness.routes.model import Hop, Route, Timeouts
from harness.tasks import start

LEAVES_AFTER = 20  # writes of the lab that the client waits for


def hops(lab: Lab, row: Row, running: Sequence[Running]) -> tuple[Hop, ...]:
    """The engine, then each part: named by its kind, numbered where there are two of one."""
    model = {} if row.model == "lab-steady" else {"model": row.model}
    found = [Hop("engine", "engine", url=f"{lab.base}/v1", headers=dict(row.headers), **model)]
    for place, item in enumerate(running, 1):
        name = item.part.kind if len(running) == 1 else f"{item.part.kind}-{place}"
        headers = {**item.headers, **row.headers}
        asked = {"model": item.part.model} if item.part.model else model
        found.append(Hop(name, item.part.kind, url=item.url + item.part.path, headers=headers, **asked))
    return tuple(found)


async def leave(route: Route, prompt: str, key: str, when: Callable[[], Awaitable[None]]) -> Capture:
    """Ask the outermost hop and go away once ``when`` returns, whatever has come by then."""
    hop = route.outermost
    recorder = MemoryRecorder(Capture(hop.name, hop.kind, "read", hop.wire, key, route.name), host_clock())
    messages = [{"role": "user", "content": prompt}]

    async def listen() -> None:
        async with open_exchange(route, hop, messages, exchange_id=key, probing=True, recorder=recorder) as exchange:
            async for _ in exchange:
                pass

    listening = start(listen(), "listen until leaving")
    await when()
    listening.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await listening
    return recorder.capture("read")


async def until(happened: Callable[[], object], limit_s: float = 30.0) -> None:
    """Until it has happened in the lab, whose ledger has no bell."""
    async with asyncio.timeout(limit_s):
        while not happened():  # noqa: ASYNC110 - see above
            await asyncio.sleep(0.02)


def emission(lab: Lab, exchange: str, key: str) -> Record | None:
    """The lab's record of an exchange: by its header, else by the key in the prompt's marker or the user field."""
    found = lab.ledger.find(exchange) or lab.ledger.find(key)
    return found[-1] if found else None


async def measure(lab: Lab, row: Row, running: Sequence[Running]) -> Taken:
    """One row's captures: each hop asked in turn, as the ladder does, or a client that leaves; and the lab's record."""
    key = uuid.uuid4().hex
    knobs = "events=150 rate=50" if row.upstream == LEAVES else row.knobs or row.setting.knobs
    prompt = f"Count. [[lab {knobs} key={key} {MARKERS[row.upstream]}]]"
    route = Route("row", hops(lab, row, running), model="lab-steady", timeouts=Timeouts(10, 30, 60))
    if row.again:
        await probe(route, route.outermost, prompt="Before. [[lab events=40 rate=50]]")
    climbed: list[Capture] = []
    if row.upstream == LEAVES:

        def spoken() -> bool:
            record = emission(lab, key, key)
            return record is not None and len(record.times) >= LEAVES_AFTER

        outer = await leave(route, prompt, key, lambda: until(spoken))
    else:
        for hop in route.hops:
            climbed.append(await probe(route, hop, prompt=prompt))
        outer = climbed[-1]
    record = emission(lab, outer.exchange, key)
    if record is None:
        return Taken(tuple(climbed), outer, None)
    await until(lambda: record.ending)
    return Taken(tuple(climbed), outer, replace(record.capture(), exchange=outer.exchange))


@contextlib.asynccontextmanager
async def started(lab: Lab, setting: Setting) -> AsyncIterator[list[Running]]:
    """The setting's parts, the innermost before the lab; stopped on leaving."""
    up, running = lab.base, []
    async with contextlib.AsyncExitStack() as stack:
        for link in setting.chain:
            assert link.part is not None
            manager = running_part(link.part, up, link.options, link.extra)
            item = await asyncio.to_thread(manager.__enter__)
            stack.push_async_callback(asyncio.to_thread, manager.__exit__, None, None, None)
            running.append(item)
            up = item.url
        yield running


class Bench:
    """Measures all wanted rows of a setting side by side when one is asked for, the next setting's meanwhile."""

    def __init__(self, lab: Lab, wanted: Sequence[Row], judges: ProcessPoolExecutor) -> None:
        self.lab, self.judges = lab, judges
        self.groups: dict[Setting, list[Row]] = {}
        for row in wanted:
            self.groups.setdefault(row.setting, []).append(row)
        self.tasks: dict[Setting, asyncio.Task[dict[Row, Measured]]] = {}

    async def result(self, row: Row) -> Measured:
        order = list(self.groups)
        place = order.index(row.setting)
        for setting in order[place : place + 2]:
            if setting not in self.tasks:
                self.tasks[setting] = start(self._group(setting), f"measure {setting.name}")
        return (await asyncio.shield(self.tasks[row.setting]))[row]

    async def _group(self, setting: Setting) -> dict[Row, Measured]:
        rows = sorted(self.groups[setting], key=lambda row: row.again)
        turns = asyncio.Semaphore(setting.at_once)

        async def one(row: Row) -> Taken:
            async with turns:
                return await measure(self.lab, row, running)

        async with started(self.lab, setting) as running:
            if setting.warm:
                await self._warm(rows[0], running)
            taken = await asyncio.gather(*(one(row) for row in rows))
        loop = asyncio.get_running_loop()
        said = await asyncio.gather(*(loop.run_in_executor(self.judges, judge, captures) for captures in taken))
        return dict(zip(rows, said, strict=True))

    async def _warm(self, row: Row, running: Sequence[Running]) -> None:
        route = Route("warm", hops(self.lab, row, running), model="lab-steady")
        await probe(route, route.outermost, prompt="Warm up. [[lab events=3 rate=50]]")

    async def close(self) -> None:
        """Cancel what still runs and wait for it, so that no part stays behind."""
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)


@contextlib.contextmanager
def bench(wanted: Sequence[Row]) -> Iterator[Callable[[Row], Measured]]:
    """The lab and the bench on an event loop of their own, which no test and no report holds up; gives what measures a
    row and waits for it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="bench")
    thread.start()

    def do(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    try:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as judges:
            serving = lab_running(scenarios=scenarios())
            lab = do(serving.__aenter__())
            running = Bench(lab, wanted, judges)
            try:
                yield lambda row: do(running.result(row))
            finally:
                do(running.close())
                do(serving.__aexit__())
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
