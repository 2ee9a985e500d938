"""Long work that a page starts: a child process that runs the commands' own functions, told and stopped by rows.

It never shares an event loop with the relay that it measures. Progress lines and the state stand in the database;
a job that finds itself ``stopped`` there, or its parent gone, cancels its work and closes what it holds.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings

from harness.capture.model import Capture
from harness.diagnose.run import diagnose
from harness.errors import InputError, StreamscopeError
from harness.models import Progress, Run
from harness.routes.model import Hop, Route
from harness.runs import beside, uploads
from harness.runs.catalogue import afind
from harness.runs.judge import off_loop
from harness.runs.ladder import Plan, ladder, probe_hop
from harness.runs.result import RunResult, Tell
from harness.runs.steps import Step, step_of
from harness.runs.store import load_captures, save_run
from harness.tasks import start

PERIOD = 0.5  # seconds between two looks at the database
Work = Callable[..., Awaitable[RunResult]]
ASKING: dict[str, Work] = {"ladder": ladder, "probe": probe_hop}
KINDS = (*ASKING, "diagnose")
Seen = Step | tuple[Hop, int | None, Capture | None]
PLAN = {field.name for field in fields(Plan)} - {"added"}


def create(kind: str, route: str, **plan: Any) -> Run:
    """A job that waits to be launched; ``plan`` is that of :class:`harness.runs.ladder.Plan`. InputError."""
    if kind not in KINDS or not set(plan) <= PLAN:
        raise InputError(f"there is no such job: {kind} {' '.join(plan)}".strip(), do=f"Kinds: {', '.join(KINDS)}.")
    return Run.objects.create(pk=uuid4().hex, kind=kind, route=route, started=datetime.now(UTC), spec={"plan": plan})


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
    lines: list[str | Seen] = []
    done: list[Capture] = []
    parent = os.getppid()
    doing = start(_do(run, lines, done), f"job {run.pk}")
    watching = start(_watch(run, doing, lines, tell), f"watch {run.pk}")
    try:
        result = await doing
    except asyncio.CancelledError:
        await off_loop(close, run.pk, Run.State.INTERRUPTED)
        await off_loop(_save_part, run, done)
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # we ourselves are to end
            raise
        return None
    except StreamscopeError as error:
        lines.append(str(error))
        await off_loop(close, run.pk, Run.State.FAILED)
        raise
    finally:
        await watching
        await off_loop(say, run.pk, lines)
        await off_loop(uploads.drop, run.pk)
    if os.getppid() != parent:  # the product ended meanwhile, and what it serves looked like a fault
        await off_loop(close, run.pk, Run.State.INTERRUPTED)
        return None
    await off_loop(_save, run, result)
    await off_loop(beside.read, run.pk)
    return result


async def _do(run: Run, lines: list[str | Seen], done: list[Capture]) -> RunResult:
    recorded = await off_loop(uploads.read, run.pk, run.spec.get("files", []))
    if run.kind not in ASKING:
        return await off_loop(_judge, run, recorded)
    route: Route = await afind(run.route)

    plan = Plan(**run.spec.get("plan", {}), added=uploads.by_hop(recorded))

    def watch(hop: Hop, number: int | None, capture: Capture | None) -> None:
        # In turn, nobody streams at this moment, so the answer is decoded now and not while the next one comes.
        lines.append((hop, number, capture) if plan.together else step_of(hop.name, number, capture))
        done.extend([] if capture is None else [capture])

    return await ASKING[run.kind](route, plan, tell=lines.append, watch=watch)


def _judge(run: Run, recorded: list[Capture]) -> RunResult:
    """Recordings by themselves or, with ``spec["of"]``, in that run's captures."""
    base = load_captures(run.spec["of"]) if run.spec.get("of") else []
    if base:
        captures = uploads.brought_in(base, recorded, run.spec.get("hops", []))
    else:
        captures = recorded if run.spec.get("ordered") else uploads.inside_out(recorded)
    return RunResult(tuple(captures), diagnose(captures))


async def _watch(run: Run, doing: asyncio.Task[RunResult], lines: list[str | Seen], tell: Tell) -> None:
    """Until the work is done, bring progress to the database, and what happened there or to our parent to the work."""
    parent = os.getppid()
    while not doing.done():
        await asyncio.wait([doing], timeout=PERIOD)
        new, lines[:] = lines[:], []
        for line in new:
            if isinstance(line, str):
                tell(line)
        state = await off_loop(say, run.pk, new)
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
    """Jobs older than ``after`` seconds whose process is gone are ``interrupted``; gives their ids. Blocking.

    What was uploaded for them goes too: it is not masked before it is read.
    """
    old = datetime.now(UTC) - timedelta(seconds=after)
    rows = Run.objects.filter(state=Run.State.RUNNING, kind__in=KINDS, started__lt=old)
    gone = [run_id for run_id in rows.values_list("pk", flat=True) if not _lives(run_id)]
    for run_id in gone:
        close(run_id, Run.State.INTERRUPTED)
        _lock_of(run_id).unlink(missing_ok=True)
        uploads.drop(run_id)
    beside.sweep()
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


def say(run_id: str, lines: Sequence[str | Seen]) -> str | None:
    """Store progress lines and steps; the run's state now, None if somebody deleted it."""
    state = Run.objects.filter(pk=run_id).values_list("state", flat=True).first()
    if state is not None:
        Progress.objects.bulk_create(_progress(run_id, line) for line in lines)
    return state


def _progress(run_id: str, line: str | Seen) -> Progress:
    if isinstance(line, str):
        return Progress(run_id=run_id, text=line)
    if isinstance(line, tuple):
        hop, number, capture = line
        line = step_of(hop.name, number, capture)
    return Progress(run_id=run_id, text="", step=line.as_json())


def close(run_id: str, state: str) -> None:
    """End a run that still runs; one that has ended keeps its state."""
    Run.objects.filter(pk=run_id, state=Run.State.RUNNING).update(state=state, ended=datetime.now(UTC))


def _save(run: Run, result: RunResult) -> None:
    save_run(run.pk, result.captures, kind=run.kind, route=run.route, answer=result.answer)


def _save_part(run: Run, done: list[Capture]) -> None:
    """What a job had when it was stopped: kept and judged, so that the wait was not for nothing."""
    state = Run.objects.filter(pk=run.pk).values_list("state", flat=True).first()
    if done and state is not None:
        save_run(run.pk, done, kind=run.kind, route=run.route, answer=diagnose(done), state=state)
