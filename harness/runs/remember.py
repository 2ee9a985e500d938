"""What a command found out, as a run beside those of the pages; a database that refuses costs the run, not the verdict.

Blocking: call it off the event loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import DatabaseError, connection

from harness.capture.model import Capture
from harness.errors import StreamscopeError
from harness.routes.model import Route
from harness.runs.migrated import migrated
from harness.runs.result import Tell
from harness.runs.store import save_run

PATIENCE_S = 3.0  # how long another writer may keep a command from its end


def remember(
    kind: str,
    route: str,
    captures: Sequence[Capture],
    answer: Mapping[str, Any],
    tell: Tell,
    *,
    started: datetime,
    spec: dict[str, Any] | None = None,
) -> str | None:
    """Store a run under an id of its own, and give the id; None, and one line to ``tell``, where that cannot be done.

    ``captures`` innermost first; ``answer`` as in docs/formats.md. The database is made where there is none yet.
    """
    run_id = f"{kind}-{uuid4().hex[:12]}"
    try:
        with in_a_hurry():
            migrated()
            save_run(run_id, captures, kind=kind, route=route, answer=dict(answer), started=started, spec=spec)
    except (DatabaseError, OSError, StreamscopeError) as error:
        why = " ".join(str(error).split()).removesuffix(".")
        tell(f"Not kept as a run: {why}. The verdict stands; --save DIR keeps the captures.")
        return None
    return run_id


def spec_of(route: Route, plan: Mapping[str, Any]) -> dict[str, Any]:
    """What a run is to remember of what was asked: its hops, innermost first, and the plan."""
    return {"hops": [[hop.name, hop.kind] for hop in route.hops], "plan": dict(plan), "by": "command"}


@contextmanager
def in_a_hurry(seconds: float = PATIENCE_S) -> Iterator[None]:
    """Within, the database is waited for so long at most. The web has more time than somebody at a terminal."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    options = connection.settings_dict["OPTIONS"]
    usual = options.get("timeout")
    connection.close()  # the timeout is one of the connection
    options["timeout"] = seconds
    try:
        yield
    finally:
        options["timeout"] = usual
        connection.close()
