"""Old runs go when new ones come; pinned and running ones stay."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError

from harness.capture.model import Capture, stamped
from harness.models import Exchange, Progress, Run, Tap
from harness.runs import keep
from harness.runs.store import save_run

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def stored(number: int, **more: Any) -> Run:
    body, times, ends = stamped([(1.0, b"x" * 100)])
    run = save_run(
        f"r{number}", [Capture("engine", body=body, times=times, ends=ends)], kind="probe",
        started=NOON + timedelta(minutes=number), **more,
    )  # fmt: skip
    Progress.objects.create(run=run, text="said")
    return run


def left() -> list[str]:
    return sorted(Run.objects.values_list("pk", flat=True))


def test_a_stored_run_pushes_the_oldest_out_with_all_that_hangs_on_it(settings: Any) -> None:
    settings.KEEP_RUNS = 2
    for number in range(4):
        stored(number)
    assert left() == ["r2", "r3"]
    assert [model.objects.count() for model in (Exchange, Tap, Progress)] == [2, 2, 2]


def test_pinned_and_running_runs_stay_and_do_not_count(settings: Any) -> None:
    settings.KEEP_RUNS = 0
    for number in range(5):
        stored(number, state=Run.State.RUNNING if number == 1 else Run.State.DONE)
    assert keep.pin("r0", True) and not keep.pin("nobody", True)
    assert keep.prune(1) == 2
    assert left() == ["r0", "r1", "r4"]
    keep.pin("r0", False)
    assert keep.prune(1) == 1 and left() == ["r1", "r4"]


def test_zero_keeps_all(settings: Any) -> None:
    settings.KEEP_RUNS = 0
    for number in range(3):
        stored(number)
    assert keep.prune() == 0 and len(left()) == 3


def test_a_run_stays_stored_when_the_old_ones_cannot_go(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.KEEP_RUNS = 1
    stored(0)

    def locked(*args: Any, **options: Any) -> None:
        raise DatabaseError("database is locked")

    monkeypatch.setattr(Run.objects, "exclude", locked, raising=False)
    monkeypatch.setattr(type(Run.objects.all()), "exclude", locked)
    stored(1)
    assert left() == ["r0", "r1"]
