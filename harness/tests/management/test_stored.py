"""What probe, ladder and compare find out is a run: listed, reported, a baseline; and never at the verdict's cost."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
from pathlib import Path

import pytest

from harness.tests.management.command_line import manage
from harness.tests.probe.fakes import GOOD, HEAD, LAST, Talk, Upstream, chunk


async def good(talk: Talk) -> None:
    if talk.body is not None and not talk.body.get("stream"):
        body = b'{"choices":[{"index":0,"message":{"content":"t1 "},"finish_reason":"stop"}]}'
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        await talk.send(head % len(body), body)
    else:
        await talk.send(HEAD, chunk(GOOD), LAST)


async def told(folder: Path, *commands: list[str], script=good, **more: str) -> list[subprocess.CompletedProcess[str]]:
    """Each command in turn, against an upstream that is the route ``gateway``."""
    async with Upstream(script) as upstream:
        variables = {"HARNESS_GATEWAY_URL": upstream.url, "HARNESS_MODEL": "m"} | more
        return [await asyncio.to_thread(manage, folder, *words, **variables) for words in commands]


def rows(folder: Path, what: str = "id, kind, route, state") -> list[tuple[str, ...]]:
    with sqlite3.connect(folder / "streamscope.sqlite3") as database:
        return database.execute(f"select {what} from harness_run order by started").fetchall()


def last(done: subprocess.CompletedProcess[str]) -> str:
    """The run's id, by the last line of the text."""
    word, run_id = done.stdout.splitlines()[-1].split()
    assert word == "run"
    return run_id


async def test_each_command_leaves_a_run_and_prints_its_id_last(tmp_path):
    probed, climbed, compared = await told(
        tmp_path / "new",  # made before any `up`
        ["probe", "gateway", "--prompt", "say it"],
        ["ladder", "gateway", "--format", "json"],
        ["compare", "gateway", "gateway/gateway", "--repeat", "2"],
    )
    ids = [last(probed), json.loads(climbed.stdout)["run"], last(compared)]
    assert [done.returncode for done in (probed, climbed, compared)] == [0, 0, 0]
    routes = ["gateway", "gateway", "gateway | gateway/gateway"]
    kinds = ["probe", "ladder", "compare"]
    assert rows(tmp_path / "new") == [(*row, "done") for row in zip(ids, kinds, routes, strict=True)]
    (spec,) = rows(tmp_path / "new", "spec")[0]
    assert json.loads(spec)["plan"]["prompt"] == "say it" and json.loads(spec)["hops"] == [["gateway", "gateway"]]


async def test_a_stored_run_is_a_baseline_and_a_report(tmp_path):
    (probed,) = await told(tmp_path, ["probe", "gateway"])
    held, reported = await told(
        tmp_path,
        ["ladder", "gateway", "--baseline", last(probed), "--format", "json"],
        ["report", last(probed), "--to", str(tmp_path / "r.html")],
    )
    assert held.returncode == 0 and json.loads(held.stdout)["baseline"]
    assert reported.returncode == 0 and last(probed) in (tmp_path / "r.html").read_text()


async def test_old_runs_go(tmp_path):
    probed = await told(tmp_path, *[["probe", "gateway"]] * 3, HARNESS_KEEP_RUNS="2")
    assert [run_id for (run_id,) in rows(tmp_path, "id")] == [last(done) for done in probed[1:]]


async def test_until_a_fault_the_run_has_the_bad_exchange_and_the_good_one_before_it(tmp_path):
    asked: list[int] = []

    async def fourth_is_cut(talk: Talk) -> None:
        asked.append(1)
        await talk.send(HEAD, *((chunk(GOOD[:60]),) if len(asked) == 4 else (chunk(GOOD), LAST)))
        talk.finish()

    (done,) = await told(tmp_path, ["ladder", "gateway", "--until-fault", "--max", "9"], script=fourth_is_cut)
    with sqlite3.connect(tmp_path / "streamscope.sqlite3") as database:
        kept = database.execute("select repeat from harness_exchange order by repeat").fetchall()
    assert done.returncode == 1 and len(asked) == 4 and kept == [(2,), (3,)]
    assert json.loads(rows(tmp_path, "spec")[0][0])["plan"]["rounds"] == 4


async def test_a_locked_database_costs_the_run_alone(tmp_path):
    await told(tmp_path, ["probe", "gateway"])
    lock = sqlite3.connect(tmp_path / "streamscope.sqlite3", isolation_level=None)
    try:
        lock.execute("begin immediate")
        (done,) = await told(tmp_path, ["probe", "gateway", "--format", "json"])
    finally:
        lock.close()
    answer = json.loads(done.stdout)
    assert done.returncode == 0 and answer["verdict"]["healthy"] is True and answer["run"] is None
    assert [line for line in done.stderr.splitlines() if "Not kept as a run: database is locked" in line]
    assert len(rows(tmp_path)) == 1


@pytest.mark.parametrize("what", ["full", "no folder", "no database"])
async def test_a_disk_that_does_not_take_it_costs_the_run_alone(tmp_path, what):
    folder = tmp_path / "data"
    if what == "no folder":
        folder.write_text("a file")
    elif what == "no database":
        (folder / "streamscope.sqlite3").mkdir(parents=True)
    else:
        await told(folder, ["probe", "gateway"])
        full = sqlite3.connect(folder / "streamscope.sqlite3")
        full.execute("create trigger full before insert on harness_run begin select raise(fail, 'disk is full'); end")
        full.close()
    (done,) = await told(folder, ["probe", "gateway"])
    assert done.returncode == 0 and "healthy" in done.stdout.lower() and not done.stdout.rstrip().endswith("run None")
    said = [line for line in done.stderr.splitlines() if line.startswith("Not kept as a run")]
    assert len(said) == 1 and "Traceback" not in done.stderr


async def test_cancel_and_idle_leave_a_run_that_shows_what_they_said(tmp_path):
    stopped, silent = await told(
        tmp_path, ["cancel", "gateway", "--within", "0"], ["idle", "gateway", "--up-to", "0.5", "--format", "json"]
    )
    assert rows(tmp_path, "id") == [(last(stopped),), (json.loads(silent.stdout)["run"],)]
    said = [json.loads(spec)["said"] for (spec,) in rows(tmp_path, "spec")]
    assert said[0] in stopped.stdout and "gateway" in said[1]


def test_a_database_that_cannot_be_read_is_not_called_one_without_that_run(tmp_path):
    fresh = manage(tmp_path, "report", "some-run", "--to", str(tmp_path / "x.html"))
    (tmp_path / "broken" / "streamscope.sqlite3").mkdir(parents=True)
    broken = manage(tmp_path / "broken", "report", "some-run", "--to", str(tmp_path / "x.html"))
    assert (fresh.returncode, broken.returncode) == (2, 2)
    assert "there is no run 'some-run'" in fresh.stderr and "unable to open database file" in broken.stderr
