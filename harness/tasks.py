"""Start a named task and keep it referenced until it ends; let all end before the loop does."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_running: set[asyncio.Task[Any]] = set()


def start(work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
    """A task that is not collected while it runs; whoever starts it still awaits or cancels it."""
    task = asyncio.get_running_loop().create_task(work, name=name)
    _running.add(task)
    task.add_done_callback(_running.discard)
    return task


async def finish(seconds: float) -> None:
    """Give what was started ``seconds`` to end by itself, then cancel it: the loop is about to stop."""
    others = _running - {asyncio.current_task()}
    if others:
        _, late = await asyncio.wait(others, timeout=seconds)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=seconds)
