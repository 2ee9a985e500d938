"""Jobs are launched a few at once; one whose process dies is closed."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError, LimitExceeded
from harness.models import Run
from harness.runs import launch, uploads
from harness.runs.uploads import Recording

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path


def child(code: str) -> Any:
    return lambda run_id: subprocess.Popen([sys.executable, "-c", code])


def awaited(run: Run) -> Run:
    """The run once the thread that awaits its process has ended."""
    for thread in threading.enumerate():
        if thread.name == f"await {run.pk}":
            thread.join(20)
    return Run.objects.get(pk=run.pk)


def test_a_job_whose_process_dies_is_interrupted_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "launch", child("raise SystemExit(9)"))
    run = launch.begin("diagnose", recordings=[Recording("a", b"x", "engine")], spec={"ordered": True})
    assert run.spec == {"plan": {}, "ordered": True, "files": [{"name": "a", "hop": "engine"}]}
    assert awaited(run).state == "interrupted"
    assert "code 9" in run.progress.get().text
    assert not uploads.folder_of(run.pk).exists()


def test_no_more_than_a_few_jobs_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "launch", child(""))
    for _ in range(launch.MOST):
        launch.create("ladder", "r")
    with pytest.raises(LimitExceeded, match="Wait for one to end"):
        launch.begin("ladder", "r")


def test_a_job_that_cannot_be_launched_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise InputError("no room")

    monkeypatch.setattr(uploads, "keep", refuse)
    with pytest.raises(InputError, match="no room"):
        launch.begin("ladder", "r")
    assert not Run.objects.exists()
