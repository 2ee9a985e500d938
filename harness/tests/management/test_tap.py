"""``manage.py tap`` as a process: it listens, tells its board, and ends with what it has seen."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk

ROOT = Path(__file__).resolve().parents[3]
GOOD = (
    b'data: {"choices":[{"index":0,"delta":{"content":"t1 "}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)
CHAT = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}


@asynccontextmanager
async def tap(folder: Path, upstream: str, *words: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """The running process and its address."""
    command = (sys.executable, "manage.py", "tap", "--listen", "127.0.0.1:0", "--upstream", upstream, *words)
    process = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, env=os.environ | {"HARNESS_DATA_DIR": str(folder)},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        line = (await asyncio.wait_for(process.stderr.readline(), 20)).decode()
        found = re.search(r"on (http://\S+?);", line)
        assert found, line
        yield process, found[1]
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def good(talk: Talk) -> None:
    await talk.send(HEAD, chunk(GOOD), LAST)
    talk.finish()


async def ask(url: str) -> int:
    async with httpx.AsyncClient(trust_env=False, timeout=10) as client:
        return (await client.post(f"{url}/v1/chat/completions", json=CHAT)).status_code


def board(folder: Path) -> dict:
    files = list((folder / "taps").glob("*.json"))
    return json.loads(files[0].read_bytes()) if files else {}


async def until(folder: Path, holds) -> dict:
    """The board as soon as it says so; it is written once a second."""
    for _ in range(200):
        news = board(folder)
        if holds(news):
            return news
        await asyncio.sleep(0.05)
    raise AssertionError(f"the board still says {news}")


async def test_exchanges_are_on_the_board_while_they_run_and_in_the_end_in_one_document(tmp_path):
    go = asyncio.Event()

    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(GOOD[:63]))
        await go.wait()
        await talk.send(chunk(GOOD[63:]), LAST)
        talk.finish()

    async with Upstream(script) as upstream, tap(tmp_path, upstream.url[:-3], "--format", "json") as (process, url):
        asking = asyncio.ensure_future(ask(url))
        flying = await until(tmp_path, lambda news: news.get("flying") and news["in_flight"][0]["reads"])
        assert (flying["in_flight"][0]["model"], flying["exchanges"], flying["listen"]) == ("m", 0, url)
        go.set()
        assert await asking == 200
        ended = await until(tmp_path, lambda news: news.get("exchanges"))
        process.send_signal(signal.SIGINT)
        out, _ = await asyncio.wait_for(process.communicate(), 20)
    row = ended["rows"][0]
    assert (row["healthy"], row["events"], ended["flying"]) == (True, 3, 0)
    said = json.loads(out)
    assert (process.returncode, said["exchanges"], said["kept"][0]["run"]) == (0, 1, row["run"])
    assert board(tmp_path)["ended"] and len(list((tmp_path / "tap" / url.rpartition(":")[2]).iterdir())) == 2
    with sqlite3.connect(tmp_path / "streamscope.sqlite3") as database:
        assert database.execute("select id, kind from harness_run").fetchall() == [(row["run"], "tap")]


async def test_lines_come_one_an_exchange_and_the_count_ends_it(tmp_path):
    words = ("--format", "json", "--lines", "--count", "2")
    async with Upstream(good) as upstream, tap(tmp_path, upstream.url[:-3], *words) as (process, url):
        assert process.stdout is not None
        await ask(url)
        first = json.loads(await asyncio.wait_for(process.stdout.readline(), 10))
        await ask(url)
        out, _ = await asyncio.wait_for(process.communicate(), 20)
    second, last = map(json.loads, out.splitlines())
    assert first["healthy"] is second["healthy"] is True and first["exchange"] != second["exchange"]
    assert (last["exchanges"], last["faults"], process.returncode) == (2, 0, 0)


async def test_an_exchange_that_the_end_of_the_tap_cuts_is_kept_too(tmp_path):
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(GOOD[:63]))
        await talk.gone()

    async with Upstream(script) as upstream, tap(tmp_path, upstream.url[:-3], "--format", "json") as (process, url):
        asking = asyncio.ensure_future(ask(url))
        await until(tmp_path, lambda news: news.get("flying") and news["in_flight"][0]["reads"])
        process.send_signal(signal.SIGTERM)
        out, _ = await asyncio.wait_for(process.communicate(), 20)
        await asyncio.gather(asking, return_exceptions=True)
    (row,) = json.loads(out)["kept"]
    assert (row["end"], row["outcome"]) == ("open", "interrupted") and row["run"]
