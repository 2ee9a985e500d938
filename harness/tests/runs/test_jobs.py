"""A job: started from a page, done in its own process, told and stopped through the database."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError, UnknownRoute
from harness.models import Run
from harness.routes.model import Hop, Route
from harness.runs import jobs
from harness.runs.judge import off_loop
from harness.runs.store import load_captures
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk

pytestmark = pytest.mark.django_db(transaction=True)
ANSWER = b'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


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
    assert await off_loop(lambda: run.progress.count()) == 4


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
