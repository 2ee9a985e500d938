"""Exchanges of an inline tap as runs: in the list, bounded, and joined to the chats that they served. Blocking."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import monotonic
from uuid import uuid4

from django.db import DatabaseError

from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.diagnose.run import diagnose
from harness.errors import StreamscopeError
from harness.models import Run
from harness.runs.joined import matched
from harness.runs.migrated import migrated
from harness.runs.remember import in_a_hurry
from harness.runs.store import load_captures, save_run

PATIENCE_S = 20.0  # how long a chat may take to be stored after its engine has answered
RECENT = timedelta(seconds=120)
LOOKED_AT = 20  # chats that are compared at most
log = logging.getLogger(__name__)


class TapRuns:
    """``most`` runs at once. A database that refuses is told to the log: the files are written all the same."""

    def __init__(self, upstream: str, most: int) -> None:
        self.upstream, self.most = upstream, most
        self.runs: deque[str] = deque()
        self.waiting: list[tuple[float, str, Capture]] = []
        try:
            migrated()
        except (DatabaseError, OSError, StreamscopeError) as error:
            log.warning("tapped exchanges are in their files only, not among the runs: %s", error)

    def take(self, captures: Sequence[Capture], answer: Answer) -> str | None:
        """Store one exchange: what was read, then what was written, with its answer. The run's id, None for none."""
        run_id = f"tap-{uuid4().hex[:12]}"
        started = _started(captures[0])
        try:
            with in_a_hurry():
                save_run(run_id, captures, kind="tap", route=self.upstream, answer=answer, started=started)
            self.runs.append(run_id)
            while len(self.runs) > self.most:
                Run.objects.filter(pk=self.runs.popleft(), pinned=False).delete()
        except (DatabaseError, StreamscopeError) as error:
            log.warning("a tapped exchange is in its files only: %s", error)
            return None
        self.waiting.append((monotonic() + PATIENCE_S, run_id, captures[0]))
        return run_id

    def forget(self, run_id: str) -> None:
        """Delete a run whose files have gone, unless somebody pinned it."""
        try:
            Run.objects.filter(pk=run_id, pinned=False).delete()
        except DatabaseError as error:
            log.warning("run %s stays for now: %s", run_id, error)

    def settle(self) -> dict[str, str]:
        """Join exchanges to chats that have been stored meanwhile; run id → the chat's."""
        found: dict[str, str] = {}
        try:
            for row in list(self.waiting):
                until, run_id, tapped = row
                chat = join(run_id, tapped)
                if chat or monotonic() > until:
                    self.waiting.remove(row)
                found |= {run_id: chat} if chat else {}
        except (DatabaseError, StreamscopeError) as error:
            log.warning("chats are looked for later: %s", error)
        return found


def _started(capture: Capture) -> datetime | None:
    try:
        return datetime.fromisoformat(capture.sent_at)
    except ValueError:
        return None


def join(run_id: str, tapped: Capture) -> str | None:
    """Put what the tap read into the chat that it served, and judge that anew; the chat's id, None if not found yet."""
    since = datetime.now(UTC) - RECENT
    ended = Run.objects.filter(kind="chat", ended__gte=since).exclude(state=Run.State.RUNNING)
    chats = [(run, load_captures(run.pk)) for run in ended.order_by("-ended")[:LOOKED_AT]]
    # A chat that a tap was joined to already keeps what it has.
    chats = [(run, captures) for run, captures in chats if not any(c.meta.get("inline") for c in captures)]
    reads = [next((c for c in captures if c.tap == "read"), None) for _, captures in chats]
    usable = [(pair, read) for pair, read in zip(chats, reads, strict=True) if read is not None]
    hit = matched(tapped, [read for _, read in usable])
    if hit is None:
        return None
    (run, captures), _ = usable[hit[0]]
    how = hit[1]
    names = {capture.hop for capture in captures}
    inner = replace(
        tapped,
        hop=f"{tapped.hop}-tap" if tapped.hop in names else tapped.hop,
        exchange="" if how == "time" else captures[0].exchange,
        route=run.route,
        meta=tapped.meta | {"inline": True, "matched": how, "tap_run": run_id},
    )
    both = [inner, *captures]
    spec = run.spec | {"tapped": {"run": run_id, "by": how}}
    save_run(
        run.pk, both, kind=run.kind, route=run.route, answer=diagnose(both), state=run.state, ended=run.ended, spec=spec
    )
    Run.objects.filter(pk=run_id).update(spec={"chat": run.pk})
    return run.pk
