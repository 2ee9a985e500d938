"""A tap at work: what passes is kept, judged and joined to its chat in one thread, and the board tells of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from time import perf_counter_ns
from typing import Any

from django.db import connections

from harness.capture.model import Capture
from harness.phrase import say
from harness.probe.recorder import MemoryRecorder
from harness.probe.tap import Tap, listening
from harness.runs.result import Tell
from harness.runs.tap_board import Board
from harness.runs.tapped import Kept, Row, asked_for

PERIOD_S = 1.0  # between two looks for chats that have been stored, and two turns of the board
SHOWN = 100  # exchanges that the board lists
log = logging.getLogger(__name__)


async def tapping(
    tap: Tap,
    listen: tuple[str, int],
    begin: Callable[[str, int], tuple[Kept, Board]],
    over: asyncio.Event,
    *,
    count: int,
    tell: Tell,
    each: Callable[[Row], None],
) -> Kept:
    """Until ``over``, or ``count`` exchanges (0: no end). ``begin`` gets the address that is listened on; ``each``
    every exchange's row, in the thread. Raises Unreachable for a port that is taken."""
    loop = asyncio.get_running_loop()
    disk, speaking = ThreadPoolExecutor(1, "tap"), copy_context()  # the language that was asked for

    def one(captures: tuple[Capture, Capture]) -> None:
        try:
            each(kept.take(captures))
        except Exception:  # a line that others depend on goes on, whatever one exchange looks like
            log.exception("exchange %s could not be kept", captures[0].exchange)
        if kept.count == count:
            loop.call_soon_threadsafe(over.set)

    def turn(flying: list[Row], last: bool = False) -> None:
        for run_id, chat in (kept.runs.settle() if kept.runs else {}).items():
            kept.joined(run_id, chat)
            tell(say("joined to the chat /runs/{chat}/", chat=chat))
        (board.close if last else board.write)(news(kept, flying))

    def done(captures: tuple[Capture, Capture]) -> None:
        loop.call_soon(lambda: disk.submit(speaking.run, one, captures))

    tap.done = done
    try:
        async with listening(tap, *listen) as address:
            kept, board = begin(*address)
            while not over.is_set():
                await loop.run_in_executor(disk, speaking.run, turn, in_flight(tap))
                with suppress(TimeoutError):
                    async with asyncio.timeout(PERIOD_S):
                        await over.wait()
        await asyncio.sleep(0)  # exchanges that were cut just now have their turn
        disk.submit(speaking.run, turn, [], True)
    finally:
        disk.submit(connections.close_all)
        await loop.run_in_executor(None, disk.shutdown)
    return kept


def in_flight(tap: Tap) -> list[Row]:
    """The exchanges that are under way, the latest first. On the event loop."""
    now = perf_counter_ns()
    seen = [recorder for client in tap.clients if (recorder := client.watched.ongoing) is not None]
    return sorted((_flying(recorder, now) for recorder in seen), key=lambda row: row["ms"])


def _flying(recorder: MemoryRecorder, now: int) -> Row:
    began, at, request = recorder.began["read"]
    head, times = recorder.heads.get("read"), recorder.times["read"]
    return asked_for(request.method, request.url, request.body) | {
        "exchange": recorder.template.exchange,
        "at": at,
        "status": head.status if head else None,
        "bytes": len(recorder.body),
        "reads": len(times),
        "ms": round((now - began) / 1e6, 1),
        "silent_ms": round((now - began) / 1e6 - times[-1], 1) if len(times) else None,
    }


def news(kept: Kept, flying: list[Row]) -> dict[str, Any]:
    """What the board says: figures, exchanges under way, and the newest that have ended, each newest first."""
    rows = list(kept.rows)[-SHOWN:][::-1]
    return {
        "exchanges": kept.count,
        "bad": kept.bad,
        "bytes": kept.bytes,
        "kept": len(kept.rows),
        "most": kept.most,
        "used_bytes": kept.used,
        "most_bytes": kept.most_bytes,
        "directory": str(kept.directory),
        "in_flight": flying[:SHOWN],
        "flying": len(flying),
        "rows": [{name: value for name, value in row.items() if name not in ("files", "size")} for row in rows],
    }
