"""Measure rows of the table: start each setting's parts before the lab, run the ladder, and judge one exchange at
both its ends besides."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from e2e.parts.part import Running, running_part
from e2e.real.row import LEAVES, MARKERS, Row, Setting
from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.diagnose.pair import Pair
from harness.diagnose.run import diagnose
from harness.diagnose.view import View
from harness.lab.desk import Lab
from harness.lab.ledger import Record
from harness.probe.clock import host_clock
from harness.probe.exchange import open_exchange, probe
from harness.probe.recorder import MemoryRecorder
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.ladder import Plan, ladder
from harness.tasks import start
from harness.wire.decode import decode

LEAVES_AFTER_S = 0.5
APART_MS = 2.0  # reads closer than this came in one burst


@dataclass(frozen=True, slots=True)
class Measured:
    """``ladder``: two exchanges, at the engine and through the part. ``same``: one, as the lab sent it and as it was
    read behind the part (None where the part answered from its cache). ``alone``: the read alone. ``bursts`` of reads;
    ``delay_ms`` the longest from emission to arrival; ``left_ms`` how long after the client left the lab saw it."""

    ladder: Answer | None
    same: Answer | None
    alone: Answer
    captures: tuple[Capture, ...]
    bursts: int
    delay_ms: float | None
    left_ms: float | None


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


async def leave(route: Route, prompt: str, key: str) -> Capture:
    """Ask the outermost hop and go away after :data:`LEAVES_AFTER_S`, whatever has come by then."""
    hop = route.outermost
    recorder = MemoryRecorder(Capture(hop.name, hop.kind, "read", hop.wire, key, route.name), host_clock())
    messages = [{"role": "user", "content": prompt}]

    async def listen() -> None:
        async with open_exchange(route, hop, messages, exchange_id=key, probing=True, recorder=recorder) as exchange:
            async for _ in exchange:
                pass

    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(listen(), LEAVES_AFTER_S)
    return recorder.capture("read")


async def ended(record: Record, limit_s: float = 30.0) -> None:
    """Until the lab has ended that answer."""
    async with asyncio.timeout(limit_s):
        while record.ending is None:  # noqa: ASYNC110 - the ledger has no bell
            await asyncio.sleep(0.02)


def emission(lab: Lab, capture: Capture, key: str) -> Record | None:
    """The lab's record of that very exchange: by its header, else by the key in the prompt's marker."""
    found = lab.ledger.find(capture.exchange) or lab.ledger.find(key)
    return found[-1] if found else None


async def measure(lab: Lab, row: Row, running: Sequence[Running]) -> Measured:
    """One row: its ladder (or a client that leaves), the lab's record of the outermost exchange, and all verdicts."""
    key = uuid.uuid4().hex
    knobs = "events=150 rate=50" if row.upstream == LEAVES else row.knobs or row.setting.knobs
    prompt = f"Count. [[lab {knobs} key={key} {MARKERS[row.upstream]}]]"
    route = Route("row", hops(lab, row, running), model="lab-steady", timeouts=Timeouts(10, 30, 60))
    if row.again:
        await probe(route, route.outermost, prompt="Before. [[lab events=40 rate=50]]")
    if row.upstream == LEAVES:
        outer, climbed = await leave(route, prompt, key), None
        captures: tuple[Capture, ...] = (outer,)
    else:
        result = await ladder(route, Plan(prompt=prompt))
        captures, climbed, outer = result.captures, result.answer, result.captures[-1]
    record = emission(lab, outer, key)
    same, delay, left = None, None, None
    if record is not None:
        await ended(record)
        emit = replace(record.capture(), exchange=outer.exchange)
        captures = (*captures, emit)
        same = diagnose([emit, outer])
        pair = Pair(View(decode(emit), 0), View(decode(outer), 1))
        delay = max((row.outer_ms - row.inner_ms for row in pair.timed), default=None)
        if delay is not None:
            delay -= pair.shift_ms or 0.0
        if "client_left_ms" in emit.meta and row.upstream == LEAVES and outer.end:
            left = emit.meta["client_left_ms"] + (pair.shift_ms or 0.0) - outer.end.t
    bursts = 1 + sum(b - a >= APART_MS for a, b in pairwise(outer.times)) if len(outer.times) else 0
    return Measured(climbed, same, diagnose([outer]), captures, bursts, delay, left)


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

    def __init__(self, lab: Lab, wanted: Sequence[Row], tell: Callable[[str], None] = lambda line: None) -> None:
        self.lab, self.tell = lab, tell
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
        rows = self.groups[setting]
        async with started(self.lab, setting) as running:
            if setting.warm:
                await self._warm(rows[0], running)
            turns = asyncio.Semaphore(setting.at_once)

            async def one(row: Row) -> Measured:
                async with turns:
                    return await measure(self.lab, row, running)

            once = [row for row in rows if not row.again]
            found = await asyncio.gather(*(one(row) for row in once))
            late = [(row, await measure(self.lab, row, running)) for row in rows if row.again]
        return dict([*zip(once, found, strict=True), *late])

    async def _warm(self, row: Row, running: Sequence[Running]) -> None:
        route = Route("warm", hops(self.lab, row, running), model="lab-steady")
        await probe(route, route.outermost, prompt="Warm up. [[lab events=3 rate=50]]")

    async def close(self) -> None:
        """Cancel what still runs and wait for it, so that no part stays behind."""
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)
