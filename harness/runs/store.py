"""Runs in the database: of every exchange the body once, of every tap its stamps."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

from django.db import transaction

from harness.capture.bundle import resolve_shared
from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.models import Exchange, Run, Tap
from harness.runs import unstored
from harness.runs.keep import prune
from harness.runs.pack import pack_body, pack_stamps, unpack_body, unpack_stamps
from harness.runs.rows import Frame, capture_of, frame_of

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Shared:
    """Captures of one exchange whose bytes are one: ``body`` is the longest, the others begin it."""

    body: bytes | None
    members: list[tuple[int, Capture]]

    def takes(self, capture: Capture) -> bool:
        first = self.members[0][1]
        if (first.exchange, first.repeat) != (capture.exchange, capture.repeat) or not capture.exchange:
            return False
        if self.body is None or capture.body is None or any(c.tap == capture.tap for _, c in self.members):
            return False
        return self.body.startswith(capture.body) or capture.body.startswith(self.body)

    def add(self, position: int, capture: Capture) -> None:
        self.members.append((position, capture))
        if self.body is not None and capture.body is not None:
            self.body = max(self.body, capture.body, key=len)


def shared(captures: Sequence[Capture]) -> list[Shared]:
    """Captures grouped so that equal bytes of one exchange are kept once; hops of a ladder stay apart."""
    groups: list[Shared] = []
    for position, capture in enumerate(resolve_shared(captures)):
        group = next((group for group in groups if group.takes(capture)), None)
        if group is None:
            groups.append(Shared(capture.body, [(position, capture)]))
        else:
            group.add(position, capture)
    return groups


def save_run(
    run_id: str,
    captures: Sequence[Capture],
    *,
    kind: str,
    route: str = "",
    answer: Answer | dict[str, Any] | None = None,
    state: str = Run.State.DONE,
    started: datetime | None = None,
    ended: datetime | None = None,
    spec: dict[str, Any] | None = None,
) -> Run:
    """Store a run whole, in one transaction; what was stored of it before is replaced, and old runs go.

    A run of that id that ``started`` at another moment is another one: it is kept, under an id of its own. The log
    lines that were laid beside an answer stay. ``captures`` innermost first. Called off the event loop. Raises
    CaptureError for what JSON cannot hold.
    """
    now = datetime.now(UTC)
    found: dict[str, Any] = {"kind": kind, "route": route, "state": state, "ended": ended or now}
    found["answer"] = answer.as_json() if isinstance(answer, Answer) else answer
    found |= {} if spec is None else {"spec": spec}
    groups = [(group, [frame_of(capture) for _, capture in group.members]) for group in shared(captures)]
    with transaction.atomic():
        if started is not None:
            run_id = _place(run_id, started)
        run, created = Run.objects.get_or_create(pk=run_id, defaults={**found, "started": started or now})
        if not created:
            found["answer"] = _with_logs(found["answer"], run.answer)
            for name, value in found.items():
                setattr(run, name, value)
            run.save()
            run.exchanges.all().delete()
        for group, frames in groups:
            _save_group(run, group, frames)
    prune()
    return run


def _place(run_id: str, started: datetime) -> str:
    """Under which id a run of this start is stored. Whoever sent an exchange id once more asked for something else: the
    id is the latest one's, and those before it are kept under others."""
    there = Run.objects.filter(pk=run_id).only("started").first()
    if there is None or there.started == started:
        return run_id
    stem = run_id[:90]  # ids have 100 characters at most, and none that a client may choose has a "~"
    others = dict(Run.objects.filter(pk__startswith=f"{stem}~").values_list("started", "pk"))
    aside = next(name for number in count(2) if (name := f"{stem}~{number}") not in others.values())
    if there.started > started:  # judged late: the id has gone to a later one meanwhile
        return others.get(started, aside)
    Run.objects.filter(pk=run_id).update(id=aside)
    there.exchanges.update(run_id=aside)
    there.progress.update(run_id=aside)
    log.warning("the id %s came again: what was stored under it is now %s", run_id, aside)
    return run_id


def _with_logs(answer: dict[str, Any] | None, before: dict[str, Any] | None) -> dict[str, Any] | None:
    """A run that is judged anew keeps what its gateway's log said."""
    logs = (before or {}).get("logs")
    return answer | {"logs": logs} if answer is not None and logs and "logs" not in answer else answer


def _save_group(run: Run, group: Shared, frames: Sequence[Frame]) -> None:
    position, first = group.members[0]
    request = next((frame.opening["request"] for frame in frames if "request" in frame.opening), None)
    exchange = Exchange.objects.create(
        run=run,
        position=position,
        key=first.exchange,
        repeat=first.repeat,
        hop=first.hop,
        request=request,
        body=pack_body(group.body),
    )
    Tap.objects.bulk_create(
        _tap(exchange, at, capture, frame, request) for (at, capture), frame in zip(group.members, frames, strict=True)
    )


def _tap(exchange: Exchange, position: int, capture: Capture, frame: Frame, request: Any) -> Tap:
    opening = dict(frame.opening)
    shares = "request" in opening and opening["request"] == request
    if shares:
        del opening["request"]
    return Tap(
        exchange=exchange,
        position=position,
        tap=capture.tap,
        hop=capture.hop,
        kind=capture.kind,
        opening=opening,
        shares_request=shares,
        head=frame.head,
        stamps=pack_stamps(capture.times, capture.ends),
        read_extra={str(index): extra for index, extra in capture.read_extra.items()},
        end=frame.end,
    )


def load_captures(run_id: str) -> list[Capture]:
    """A run's captures, innermost first, each with its bytes; empty for a run that is not there."""
    taps = Tap.objects.filter(exchange__run=run_id).select_related("exchange").order_by("position", "id")
    bodies: dict[int, bytes | None] = {}
    found = []
    for tap in taps:
        exchange = tap.exchange
        if exchange.pk not in bodies:
            bodies[exchange.pk] = unpack_body(exchange.body)
        opening = tap.opening | ({"request": exchange.request} if tap.shares_request else {})
        frame = Frame(opening, tap.head, tap.end)
        capture = capture_of(frame, *unpack_stamps(tap.stamps), body=None, read_extra=tap.read_extra)
        body = bodies[exchange.pk]
        found.append(capture if body is None else capture.with_body(body))
    return found


def answer_of(run_id: str) -> dict[str, Any] | None:
    """A run's answer (docs/formats.md); None where there is no such run or no answer yet."""
    return unstored.answers.get(run_id) or Run.objects.filter(pk=run_id).values_list("answer", flat=True).first()
