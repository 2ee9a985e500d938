"""A database that refuses costs no answer: it stays at hand, and storing is tried until it works."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

import pytest
from django.db import OperationalError

from harness.runs import unstored
from harness.tasks import finish

ANSWER = {"schema": 1}


class Disk:
    """Full for the first ``refusals`` attempts."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.attempts = 0
        self.dropped = asyncio.Event()

    async def store(self) -> None:
        self.attempts += 1
        if self.attempts <= self.refusals:
            raise OperationalError("database or disk is full")

    async def drop(self) -> None:
        self.dropped.set()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(unstored, "AGAIN", 0.0)
    yield
    unstored.answers.clear()


async def test_what_is_stored_at_once_leaves_nothing_behind() -> None:
    disk = Disk(refusals=0)
    await unstored.stored("one", ANSWER, disk.store, disk.drop)
    assert disk.dropped.is_set() and disk.attempts == 1 and not unstored.answers


async def test_a_full_disk_is_told_once_and_the_answer_is_kept_until_it_is_stored(
    caplog: pytest.LogCaptureFixture,
) -> None:
    disk = Disk(refusals=4)
    with caplog.at_level(logging.WARNING):
        await unstored.stored("two", ANSWER, disk.store, disk.drop)
        assert unstored.answers == {"two": ANSWER} and not disk.dropped.is_set()
        await disk.dropped.wait()
    assert disk.attempts == 5 and not unstored.answers
    assert [record.message for record in caplog.records] == [
        "exchange two is kept in memory, storing it failed (database or disk is full); tried again",
        "exchange two is stored now",
    ]


async def test_memory_is_bounded_and_the_oldest_goes_with_a_word(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unstored, "MOST", 2)
    disks = [Disk(refusals=10**9) for _ in range(3)]
    for number, disk in enumerate(disks):
        await unstored.stored(f"x{number}", ANSWER, disk.store, disk.drop)
    await disks[0].dropped.wait()
    assert list(unstored.answers) == ["x1", "x2"] and "exchange x0 is lost" in caplog.text
    unstored.answers.clear()
    await finish(10)
    assert all(disk.dropped.is_set() for disk in disks)
