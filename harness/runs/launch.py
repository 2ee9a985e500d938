"""Launch jobs from a page: each in a process of its own, a few at once."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import connections

from harness.errors import LimitExceeded, StreamscopeError
from harness.models import Run
from harness.runs import beside, uploads
from harness.runs.beside import Given
from harness.runs.jobs import KINDS, close, create, say
from harness.runs.uploads import Recording

MOST = 4  # jobs that may run at once


def begin(
    kind: str,
    route: str = "",
    recordings: Sequence[Recording] = (),
    spec: dict[str, Any] | None = None,
    *,
    logs: Sequence[Given] = (),
    **plan: Any,
) -> Run:
    """Create a job with what was uploaded for it, and launch it. ``spec``: what the run is to remember besides;
    ``logs``: of gateways, to be searched for what they say of the recordings.

    LimitExceeded while :data:`MOST` jobs run, InputError for one that makes no sense.
    """
    if Run.objects.filter(state=Run.State.RUNNING, kind__in=KINDS).count() >= MOST:
        raise LimitExceeded(f"{MOST} jobs run already", "/runs/", "Wait for one to end, or stop one.")
    run = create(kind, route, **plan)
    try:
        files = uploads.keep(run.pk, recordings)
        run.spec |= (spec or {}) | ({"files": files} if files else {})
        run.save(update_fields=["spec"])
        if logs:
            beside.keep(run.pk, logs)
        child = launch(run.pk)
    except (OSError, StreamscopeError):
        beside.drop(run.pk)
        run.delete()
        raise
    threading.Thread(target=_await, args=(child, run.pk), name=f"await {run.pk}", daemon=True).start()
    return run


def _await(child: subprocess.Popen[bytes], run_id: str) -> None:
    """Until the job's process has ended; if it ended without a word, the run says so."""
    code = child.wait()
    try:
        uploads.drop(run_id)
        beside.drop(run_id)
        if Run.objects.filter(pk=run_id, state=Run.State.RUNNING).exists():
            say(run_id, [f"the job's process ended with code {code} before it was done"])
            close(run_id, Run.State.INTERRUPTED)
    finally:
        connections.close_all()


def launch(run_id: str) -> subprocess.Popen[bytes]:
    """Start the job's process; whoever starts it waits for it in the end."""
    command = [sys.executable, "manage.py", "job", run_id, "--format", "json"]
    return subprocess.Popen(command, cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
