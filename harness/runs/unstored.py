"""Exchanges that the database did not take (a full disk, a lock): their answers stay at hand, and storing is retried.

Everything here belongs to the event loop. What is still unstored when the process ends lives on in its spool, as far
as the disk took that, and is adopted at the next start.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from django.db import DatabaseError

from harness.tasks import start

AGAIN = 15.0  # seconds between two attempts
MOST = 50  # exchanges that are kept in memory so, with their recordings
log = logging.getLogger(__name__)
answers: dict[str, dict[str, Any]] = {}
"""By exchange id, oldest first; one leaves when it is stored, or when there are more than MOST."""


async def stored(
    exchange: str, answer: dict[str, Any], store: Callable[[], Awaitable[None]], drop: Callable[[], Awaitable[None]]
) -> None:
    """``store`` now or, where the database or the disk refuses, again and again in the background.

    ``drop`` forgets the recording, once it is stored or given up.
    """
    if await _attempt(exchange, store, told=False):
        await drop()
        return
    answers[exchange] = answer
    start(_retry(exchange, store, drop), f"store {exchange}")
    while len(answers) > MOST:
        oldest = next(iter(answers))
        del answers[oldest]
        log.error("exchange %s is lost: %d others wait to be stored, and memory is bounded", oldest, MOST)


async def _retry(exchange: str, store: Callable[[], Awaitable[None]], drop: Callable[[], Awaitable[None]]) -> None:
    while exchange in answers:
        await asyncio.sleep(AGAIN)
        if exchange in answers and await _attempt(exchange, store, told=True):
            del answers[exchange]
            log.warning("exchange %s is stored now", exchange)
    await drop()


async def _attempt(exchange: str, store: Callable[[], Awaitable[None]], *, told: bool) -> bool:
    try:
        await store()
    except (DatabaseError, OSError) as error:
        if not told:
            log.warning("exchange %s is kept in memory, storing it failed (%s); tried again", exchange, error)
        return False
    return True
