"""Start a named task and keep it referenced until it ends."""

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
