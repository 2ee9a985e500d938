"""From a chat's captures to its stored answer. All of it runs off the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.db import connections

from harness.capture.bundle import resolve_shared
from harness.capture.model import Capture
from harness.diagnose.answer import Answer, Verdict
from harness.diagnose.run import diagnose
from harness.models import Run
from harness.runs.browser import BrowserSide
from harness.runs.recorder import NUMBERS
from harness.runs.rows import Row
from harness.runs.store import load_captures, save_run
from harness.wire.coding import decoded

T = TypeVar("T")
Json = dict[str, Any]
log = logging.getLogger(__name__)
_pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="judge")


async def off_loop(work: Callable[..., T], *args: Any) -> T:
    """Run ``work`` in one of two threads, and give its database connection back."""

    def job() -> T:
        try:
            return work(*args)
        finally:
            connections.close_all()

    return await asyncio.get_running_loop().run_in_executor(_pool, job)


def lend(captures: Sequence[Capture]) -> list[Capture]:
    """Each tap over its bytes. A browser stamps bytes that it has decoded, so those are what it is lent."""
    # What an inline tap read further in is not what our own app handed on.
    read = next((c for c in captures if c.tap == "read" and not c.meta.get("inline")), None)
    if read is not None and read.head is not None and read.head.get("content-encoding") not in ("", "identity"):
        body = decoded(read).body
        captures = [c.with_body(body) if c.body is None and c.content_decoded else c for c in captures]
    return resolve_shared(captures)


def answer_for(captures: Sequence[Capture]) -> Json:
    """The answer (docs/formats.md). A diagnosis that breaks is a verdict that says so, and a traceback in the log."""
    try:
        return diagnose(captures).as_json()
    except Exception:  # a defect of a rule must cost neither the recording nor the page
        log.exception("the diagnosis broke on exchange %s", captures[0].exchange if captures else "")
        what = "The recording is kept, but the diagnosis broke on it; the server's log says where."
        return Answer((), (), Verdict(None, None, None, "cannot-tell", what)).as_json()


def judge(run: Row, captures: Sequence[Capture], state: str = Run.State.DONE) -> Json:
    """Diagnose a run's captures and store both. ``run``: id, kind, route, started (ISO 8601), spec."""
    captures = lend(captures)
    answer = answer_for(captures)
    store(run, captures, answer, state)
    return answer


def store(run: Row, captures: Sequence[Capture], answer: Json, state: str = Run.State.DONE) -> None:
    """Store lent captures with their answer. Raises DatabaseError or OSError where the disk does not take them."""
    save_run(
        run["id"],
        captures,
        kind=run["kind"],
        route=run["route"],
        answer=answer,
        state=state,
        started=datetime.fromisoformat(run["started"]).astimezone(UTC),
        spec=run.get("spec"),
    )


def resumed(run_id: str, anew: bool = False) -> BrowserSide | None:
    """The browser's side of a stored run, with what it had told unless ``anew``; None for an unknown run."""
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        return None
    stored = load_captures(run_id)
    side = BrowserSide.resumed(run_id, [] if anew else stored)
    side.place(run.route, next((capture.wire for capture in stored), ""), run.spec.get("front"))
    return side


def judge_late(side: BrowserSide) -> Json:
    """Put stamps that came after the end into the stored run of that id, and judge it again."""
    run = Run.objects.get(pk=side.exchange)
    late = side.captures()
    taps = {capture.tap for capture in late}
    captures = [*(c for c in load_captures(run.pk) if c.tap not in taps), *late]
    captures.sort(key=lambda capture: NUMBERS.get(capture.tap, -1))
    row = {"id": run.pk, "kind": run.kind, "route": run.route, "started": run.started.isoformat()}
    return judge(row, captures, run.state)
