"""Long work that a page starts: a child process that runs the commands' own functions, told and stopped by rows.

It never shares an event loop with the relay that it measures. Progress lines and the state stand in the database;
a job that finds itself ``stopped`` there, or its parent gone, cancels its work and closes what it holds.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings

from harness.errors import InputError, StreamscopeError
from harness.models import Progress, Run
from harness.routes.model import Route
from harness.runs.catalogue import afind
from harness.runs.judge import off_loop
from harness.runs.ladder import Plan, ladder, probe_hop
from harness.runs.result import RunResult, Tell
from harness.runs.store import save_run
from harness.tasks import start

PERIOD = 0.5  # seconds between two looks at the database
Work = Callable[..., Awaitable[RunResult]]
KINDS: dict[str, Work] = {"ladder": ladder, "probe": probe_hop}
PLAN = {field.name for field in fields(Plan)} - {"added"}


def create(kind: str, route: str, **plan: Any) -> Run:
    """A job that waits to be launched; ``plan`` is that of :class:`harness.runs.ladder.Plan`. InputError."""
    if kind not in KINDS or not set(plan) <= PLAN:
        raise InputError(f"there is no such job: {kind} {' '.join(plan)}".strip(), do=f"Kinds: {', '.join(KINDS)}.")
    return Run.objects.create(pk=uuid4().hex, kind=kind, route=route, started=datetime.now(UTC), spec={"plan": plan})


def launch(run_id: str) -> subprocess.Popen[bytes]:
    """Start the job's process; whoever starts it waits for it in the end."""
    command = [sys.executable, "manage.py", "job", run_id, "--format", "json"]
    return subprocess.Popen(command, cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def stop(run_id: str) -> bool:
    """Ask a job to stop; False if it does not run. It notices within :data:`PERIOD`."""
    running = Run.objects.filter(pk=run_id, state=Run.State.RUNNING)
    return running.update(state=Run.State.STOPPED, ended=datetime.now(UTC)) > 0


async def work(run_id: str, tell: Tell) -> RunResult | None:
    """Do a job and store it; None for one that was stopped. StreamscopeError for one that cannot be done."""
    run = await off_loop(lambda: Run.objects.filter(pk=run_id, kind__in=KINDS).first())
    if run is not None and run.state == Run.State.STOPPED:
        return None
    if run is None or run.state != Run.State.RUNNING:
        raise InputError(f"no job {run_id} waits to be done", "job", "Start one from a page.")
    with held(run_id):
        return await _work(run, tell)


async def _work(run: Run, tell: Tell) -> RunResult | None:
    lines: list[str] = []
    doing = start(_do(run, lines.append), f"job {run.pk}")
    watching = start(_watch(run, doing, lines, tell), f"watch {run.pk}")
    try:
        result = await doing
    except asyncio.CancelledError:
        await off_loop(_close, run.pk, Run.State.INTERRUPTED)
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # we ourselves are to end
            raise
        return None
    except StreamscopeError as error:
        lines.append(str(error))
        await off_loop(_close, run.pk, Run.State.FAILED)
        raise
    finally:
        await watching
        await off_loop(_say, run.pk, lines)
    await off_loop(_save, run, result)
    return result


async def _do(run: Run, tell: Tell) -> RunResult:
    route: Route = await afind(run.route)
    return await KINDS[run.kind](route, Plan(**run.spec.get("plan", {})), tell=tell)


async def _watch(run: Run, doing: asyncio.Task[RunResult], lines: list[str], tell: Tell) -> None:
    """Until the work is done, bring progress to the database, and what happened there or to our parent to the work."""
    parent = os.getppid()
    while not doing.done():
        await asyncio.wait([doing], timeout=PERIOD)
        new, lines[:] = lines[:], []
        for line in new:
            tell(line)
        state = await off_loop(_say, run.pk, new)
        if state != Run.State.RUNNING or os.getppid() != parent:
            doing.cancel()


@contextmanager
def held(run_id: str) -> Iterator[None]:
    """A lock that says that the job's process lives; the kernel lets it go with the process."""
    path = _lock_of(run_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def close_abandoned(after: float = 60.0) -> list[str]:
    """Jobs older than ``after`` seconds whose process is gone are ``interrupted``; gives their ids. Blocking."""
    old = datetime.now(UTC) - timedelta(seconds=after)
    rows = Run.objects.filter(state=Run.State.RUNNING, kind__in=KINDS, started__lt=old)
    gone = [run_id for run_id in rows.values_list("pk", flat=True) if not _lives(run_id)]
    for run_id in gone:
        _close(run_id, Run.State.INTERRUPTED)
        _lock_of(run_id).unlink(missing_ok=True)
    return gone


def _lives(run_id: str) -> bool:
    try:
        with _lock_of(run_id).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _lock_of(run_id: str) -> Path:
    return Path(settings.DATA_DIR) / "jobs" / f"{run_id}.lock"


def _say(run_id: str, lines: list[str]) -> str | None:
    """Store progress lines; the run's state now, None if somebody deleted it."""
    state = Run.objects.filter(pk=run_id).values_list("state", flat=True).first()
    if state is not None:
        Progress.objects.bulk_create(Progress(run_id=run_id, text=line) for line in lines)
    return state


def _close(run_id: str, state: str) -> None:
    Run.objects.filter(pk=run_id, state=Run.State.RUNNING).update(state=state, ended=datetime.now(UTC))


def _save(run: Run, result: RunResult) -> None:
    save_run(run.pk, result.captures, kind=run.kind, route=run.route, answer=result.answer)
