"""A job: started from a page, done in its own process, told and stopped through the database."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from harness.capture.format import dumps, loads
from harness.capture.model import Capture, End, Head, stamped
from harness.errors import CaptureError, InputError, UnknownRoute
from harness.models import Run
from harness.routes.model import Hop, Route
from harness.runs import beside, jobs, uploads
from harness.runs.beside import Given
from harness.runs.judge import off_loop
from harness.runs.store import load_captures, save_run
from harness.runs.uploads import Recording
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk

pytestmark = pytest.mark.django_db(transaction=True)
ANSWER = b'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def recorded(hop: str) -> bytes:
    """A capture file of a good, short answer."""
    body, times, ends = stamped([(5.0, ANSWER)])
    head = Head(2.0, 200, "1.1", (("content-type", "text/event-stream"),))
    return dumps(Capture(hop, hop, head=head, body=body, times=times, ends=ends, end=End(6.0, "complete")))


async def good(talk: Talk) -> None:
    await talk.send(HEAD, chunk(ANSWER), LAST)
    await talk.gone()


async def silent(talk: Talk) -> None:
    await talk.send(HEAD)
    await talk.gone()


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def route_to(monkeypatch: pytest.MonkeyPatch) -> Any:
    def use(url: str) -> None:
        async def find(name: str) -> Route:
            if name != "r":
                raise UnknownRoute(f"no route is called {name!r}")
            return Route("r", (Hop("engine", url=url), Hop("gateway", "gateway", url=url)), model="m")

        monkeypatch.setattr(jobs, "afind", find)
        monkeypatch.setattr(jobs, "PERIOD", 0.05)

    return use


async def row(run: Run) -> Run:
    return await off_loop(lambda: Run.objects.get(pk=run.pk))


async def test_a_job_is_done_by_the_commands_own_function_and_stored(route_to: Any) -> None:
    async with Upstream(good) as upstream:
        route_to(upstream.url)
        run = await off_loop(lambda: jobs.create("ladder", "r", repeat=2))
        result = await jobs.work(run.pk, lambda line: None)
    assert result is not None and result.answer.verdict.healthy is True
    done = await row(run)
    assert (done.state, done.answer["verdict"]["healthy"], done.spec) == ("done", True, {"plan": {"repeat": 2}})
    captures = await off_loop(load_captures, run.pk)
    assert [(c.hop, c.repeat) for c in captures] == [("engine", 0), ("gateway", 0), ("engine", 1), ("gateway", 1)]
    assert await off_loop(lambda: run.progress.filter(step__isnull=True).count()) == 4
    steps = await off_loop(lambda: [line.step for line in run.progress.filter(step__isnull=False)])
    assert [(s["hop"], s["round"], s["state"]) for s in steps[:4]] == [
        ("engine", 0, "probing"), ("engine", 0, "ended"), ("gateway", 0, "probing"), ("gateway", 0, "ended"),
    ]  # fmt: skip
    assert steps[1]["outcome"] == "done" and steps[1]["ttft_ms"] > 0


async def test_a_job_that_is_stopped_closes_its_upstream(route_to: Any) -> None:
    async with Upstream(silent) as upstream:
        route_to(upstream.url)
        run = await off_loop(lambda: jobs.create("probe", "r"))
        doing = asyncio.ensure_future(jobs.work(run.pk, lambda line: None))
        await asyncio.wait_for(upstream.arrived.wait(), 10)
        assert await off_loop(jobs.stop, run.pk) is True
        assert await asyncio.wait_for(doing, 10) is None
        await asyncio.wait_for(upstream.talks[0].closed.wait(), 10)
    assert (await row(run)).state == "stopped"
    assert await off_loop(jobs.stop, run.pk) is False


async def test_a_job_whose_process_is_told_to_end_is_interrupted(route_to: Any) -> None:
    async with Upstream(silent) as upstream:
        route_to(upstream.url)
        run = await off_loop(lambda: jobs.create("probe", "r"))
        doing = asyncio.ensure_future(jobs.work(run.pk, lambda line: None))
        await asyncio.wait_for(upstream.arrived.wait(), 10)
        doing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await doing
    assert (await row(run)).state == "interrupted"


async def test_a_job_that_cannot_be_done_fails_and_says_why(route_to: Any) -> None:
    route_to("http://127.0.0.1:1/v1")
    run = await off_loop(lambda: jobs.create("ladder", "gone"))
    with pytest.raises(UnknownRoute):
        await jobs.work(run.pk, lambda line: None)
    assert (await row(run)).state == "failed"
    assert await off_loop(lambda: [line.text for line in run.progress.all()]) == ["no route is called 'gone'"]


async def test_a_job_that_was_stopped_before_it_began_asks_nobody() -> None:
    run = await off_loop(lambda: jobs.create("probe", "r"))
    await off_loop(jobs.stop, run.pk)
    assert await jobs.work(run.pk, lambda line: None) is None


def test_a_job_whose_process_is_gone_is_closed_and_one_that_lives_is_not() -> None:
    gone, lives = jobs.create("probe", "r"), jobs.create("probe", "r")
    with jobs.held(lives.pk):
        assert jobs.close_abandoned(after=-1) == [gone.pk]
    assert {run.pk: run.state for run in Run.objects.all()} == {gone.pk: "interrupted", lives.pk: "running"}


def test_what_was_uploaded_for_a_server_that_was_killed_does_not_stay(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    gone = jobs.create("probe", "r")
    uploads.keep(gone.pk, [Recording("a.har", b"a cookie")])
    for run_id in (gone.pk, "fresh"):
        beside.keep(run_id, [Given("access.log", b"a key")])
    os.utime(beside.folder_of(gone.pk), (1, 1))
    jobs.close_abandoned(after=-1)
    assert [path.name for path in (tmp_path / "jobs").iterdir()] == ["fresh.logs"]


@pytest.mark.parametrize(("kind", "plan"), [("mining", {}), ("ladder", {"added": {}}), ("ladder", {"frob": 1})])
def test_a_job_of_another_kind_is_refused(kind: str, plan: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        jobs.create(kind, "r", **plan)


async def test_a_job_is_done_once(route_to: Any) -> None:
    async with Upstream(good) as upstream:
        route_to(upstream.url)
        run = await off_loop(lambda: jobs.create("probe", "r"))
        await jobs.work(run.pk, lambda line: None)
        with pytest.raises(InputError):
            await jobs.work(run.pk, lambda line: None)


async def test_what_came_after_the_product_had_ended_is_no_verdict(
    route_to: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Upstream(good) as upstream:
        route_to(upstream.url)
        run = await off_loop(lambda: jobs.create("ladder", "r"))
        monkeypatch.setattr(jobs.os, "getppid", lambda: 1 + bool(upstream.talks))
        assert await jobs.work(run.pk, lambda line: None) is None
    left = await row(run)
    assert left.state == "interrupted" and not uploads.folder_of(run.pk).exists()


async def test_a_stopped_ladder_keeps_and_judges_what_it_had(route_to: Any) -> None:
    asked: list[Talk] = []
    second = asyncio.Event()

    async def first_good_then_silent(talk: Talk) -> None:
        asked.append(talk)
        if len(asked) == 1:
            return await good(talk)
        second.set()
        await silent(talk)

    async with Upstream(first_good_then_silent) as upstream:
        route_to(upstream.url)
        run = await off_loop(lambda: jobs.create("ladder", "r"))
        doing = asyncio.ensure_future(jobs.work(run.pk, lambda line: None))
        await asyncio.wait_for(second.wait(), 10)
        await off_loop(jobs.stop, run.pk)
        assert await asyncio.wait_for(doing, 10) is None
    stopped = await row(run)
    assert stopped.state == "stopped" and [c["hop"] for c in stopped.answer["captures"]] == ["engine"]


async def test_recordings_are_judged_innermost_first_without_a_route() -> None:
    run = await off_loop(lambda: jobs.create("diagnose", ""))
    files = [Recording("2-proxy.capture.jsonl", recorded("proxy")), Recording("x.capture.jsonl", recorded("engine"))]
    run.spec |= {"files": await off_loop(uploads.keep, run.pk, files)}
    await off_loop(run.save)
    result = await jobs.work(run.pk, lambda line: None)
    assert result is not None and [c.hop for c in result.captures] == ["engine", "proxy"]
    assert (await row(run)).answer["verdict"]["healthy"] is True


async def test_a_recording_takes_its_hops_place_in_the_run_that_missed_it() -> None:
    gone = Capture("engine", "engine", end=End(1.0, "reset", "refused"))
    base = [gone, loads(recorded("gateway"))]
    await off_loop(lambda: save_run("base", base, kind="ladder", route="r"))
    run = await off_loop(lambda: jobs.create("diagnose", "r"))
    files = await off_loop(uploads.keep, run.pk, [Recording("e.capture.jsonl", recorded("client"), "engine")])
    run.spec |= {"files": files, "of": "base", "hops": [["engine", "engine"], ["gateway", "gateway"]]}
    await off_loop(run.save)
    result = await jobs.work(run.pk, lambda line: None)
    assert result is not None and [(c.hop, c.kind, bool(c.body)) for c in result.captures] == [
        ("engine", "engine", True), ("gateway", "gateway", True),
    ]  # fmt: skip


async def test_a_recording_that_is_none_fails_the_job_with_its_sentence() -> None:
    run = await off_loop(lambda: jobs.create("diagnose", ""))
    run.spec |= {"files": await off_loop(uploads.keep, run.pk, [Recording("note.txt", b"hello")])}
    await off_loop(run.save)
    with pytest.raises(CaptureError):
        await jobs.work(run.pk, lambda line: None)
    assert (await row(run)).state == "failed"
    assert "note.txt" in (await off_loop(lambda: run.progress.get().text))
