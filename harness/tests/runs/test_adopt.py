"""What a process had recorded when it was killed is adopted by the next one, the last second at most apart."""

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.capture.model import Capture, End
from harness.models import Run
from harness.runs.adopt import adopt
from harness.runs.spool import Spool
from harness.runs.store import load_captures, save_run

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[3]
STARTED = "2026-11-30T12:00:00+00:00"

RECORDER = f"""
import sys, time
from pathlib import Path
from harness.capture.model import Capture
from harness.runs.spool import Spool

spool = Spool(Path(sys.argv[1]), {{"id": "killed", "kind": "chat", "route": "r", "started": "{STARTED}"}})
spool.open(0, Capture("engine", "engine", exchange="killed"))
spool.open(1, Capture("app", "app", "write", exchange="killed"))
began, upto = time.monotonic(), 0
while True:
    data = b"data: %d\\n\\n" % upto
    upto += len(data)
    t = (time.monotonic() - began) * 1e3
    spool.data(0, t, data)
    spool.upto(1, t, upto)
    print(t, upto, flush=True)
    time.sleep(0.01)
"""


def leave_behind(directory: Path, run_id: str = "x", end: End | None = None, started: str = STARTED) -> Path:
    """A spool file whose owner is gone: what discarding would remove, with the lock let go."""
    spool = Spool(directory, {"id": run_id, "kind": "chat", "route": "r", "started": started})
    spool.open(0, Capture("engine", "engine", exchange=run_id))
    spool.data(0, 1.0, b'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n')
    if end:
        spool.end(0, end)
    spool.flush()
    kept = directory / "kept"
    os.link(spool.path, kept)
    spool.discard()
    return kept.rename(spool.path)


def test_a_killed_process_loses_at_most_the_last_second(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", RECORDER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    said = []
    for line in child.stdout:
        said.append(line.split())
        if float(said[-1][0]) > 2500:
            break
    assert adopt(tmp_path) == [], "the owner lives: its spool is not ours"
    child.send_signal(signal.SIGKILL)
    said += [line.split() for line in child.stdout]
    child.wait()
    child.stdout.close()
    killed = float(said[-1][0])

    assert adopt(tmp_path) == ["killed"]
    read, write = load_captures("killed")
    for capture in (read, write):
        assert capture.end == End(capture.times[-1], "open", "interrupted")
        assert killed - capture.times[-1] < 1000
    # Everything up to there is whole: no record is missing or changed.
    expected = [(float(t), int(upto)) for t, upto in said[: len(read.times)]]
    assert list(zip(read.times, read.ends, strict=True)) == expected
    assert write.body == read.body and len(read.body or b"") == read.ends[-1]
    assert Run.objects.get().state == Run.State.INTERRUPTED
    assert list(tmp_path.iterdir()) == []


def test_an_exchange_that_had_ended_is_adopted_as_done(tmp_path: Path) -> None:
    leave_behind(tmp_path, end=End(2.0, "complete"))
    assert adopt(tmp_path) == ["x"]
    run = Run.objects.get()
    assert (run.state, run.kind, run.started.isoformat()) == ("done", "chat", STARTED)
    assert run.answer["schema"] == 1 and load_captures("x")[0].end == End(2.0, "complete")


def test_adopting_twice_is_adopting_once(tmp_path: Path) -> None:
    leave_behind(tmp_path)
    assert (adopt(tmp_path), adopt(tmp_path)) == (["x"], [])


def test_a_later_run_of_the_same_id_is_left_alone(tmp_path: Path) -> None:
    save_run("x", [], kind="chat", route="later", started=datetime(2026, 12, 1, tzinfo=UTC))
    leave_behind(tmp_path)
    adopt(tmp_path)
    assert Run.objects.get().route == "later" and list(tmp_path.iterdir()) == []


def test_what_was_stored_before_the_owner_died_is_only_completed(tmp_path: Path) -> None:
    save_run("x", [], kind="chat", route="r", started=datetime.fromisoformat(STARTED))
    leave_behind(tmp_path)
    adopt(tmp_path)
    assert len(load_captures("x")) == 1


def test_a_spool_that_makes_no_sense_is_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = leave_behind(tmp_path, started="yesterday")
    assert adopt(tmp_path) == []
    assert [found.suffix for found in tmp_path.iterdir()] == [".bad"] and str(path) in caplog.text


def test_an_empty_spool_and_an_old_half_made_one_are_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "a.spool").write_bytes(b"")
    half = tmp_path / "b.part"
    half.write_bytes(b"")
    os.utime(half, (time.time() - 3600,) * 2)
    (tmp_path / "c.part").write_bytes(b"")
    assert adopt(tmp_path) == []
    assert [path.name for path in tmp_path.iterdir()] == ["c.part"]
