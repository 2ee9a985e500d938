"""The spool: an append costs no disk, a flush brings everything down, reading gives it back."""

import fcntl
import logging
import os
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.capture.model import Capture, End, Head
from harness.runs.spool import SUFFIX, Flusher, Spool, flusher

RUN = {"id": "x", "kind": "chat", "route": "r", "started": "2026-11-30T12:00:00Z"}
READ = Capture("engine", "engine", exchange="x")


@pytest.fixture(autouse=True)
def own_flusher(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No thread flushes behind the test's back."""
    monkeypatch.setattr(Flusher, "_run", lambda self: None)
    yield
    for spool in list(flusher._spools):
        spool.discard()


def filled(directory: Path) -> Spool:
    spool = Spool(directory, RUN)
    spool.open(0, READ)
    spool.head(0, Head(1.0, 200, "1.1", (("content-type", "text/event-stream"),)))
    spool.data(0, 2.0, b"data: 1\n\n")
    spool.upto(1, 2.5, 9)
    return spool


def files(directory: Path) -> list[Path]:
    return sorted(directory.iterdir()) if directory.exists() else []


def test_recording_touches_no_disk_before_the_flush(tmp_path: Path) -> None:
    spool = filled(tmp_path / "spool")
    assert files(tmp_path / "spool") == []
    spool.flush()
    assert [path.suffix for path in files(tmp_path / "spool")] == [SUFFIX]


def test_a_flush_appends_and_never_rewrites(tmp_path: Path) -> None:
    spool = filled(tmp_path)
    spool.flush()
    first = spool.path.read_bytes()
    spool.data(0, 3.0, b"data: 2\n\n")
    spool.flush()
    assert spool.path.read_bytes().startswith(first)
    assert len(spool.path.read_bytes()) > len(first)


def test_reading_gives_everything_recorded_flushed_or_not(tmp_path: Path) -> None:
    spool = filled(tmp_path)
    spool.flush()
    spool.data(0, 3.0, b"data: 2\n\n")
    spool.end(0, End(4.0, "complete"))
    (read,) = spool.read().captures
    assert (read.hop, read.body, read.times) == ("engine", b"data: 1\n\ndata: 2\n\n", array("d", [2.0, 3.0]))
    assert read.end == End(4.0, "complete") and spool.read().run == RUN


def test_the_owner_holds_a_lock_while_the_spool_is_open(tmp_path: Path) -> None:
    spool = filled(tmp_path)
    spool.flush()
    other = os.open(spool.path, os.O_RDWR)
    with pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(other)


def test_a_discarded_spool_leaves_no_file_and_takes_nothing_more(tmp_path: Path) -> None:
    spool = filled(tmp_path)
    spool.flush()
    spool.discard()
    spool.data(0, 5.0, b"late")
    spool.flush()
    assert files(tmp_path) == []


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    spool = filled(tmp_path)
    spool.flush()
    assert spool.path.stat().st_mode & 0o777 == 0o600


def test_a_disk_that_refuses_costs_no_record(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    in_the_way = tmp_path / "spool"
    in_the_way.write_text("a file where the directory should be")
    spool = filled(in_the_way)
    with caplog.at_level(logging.WARNING):
        spool.flush()
        spool.flush()
    assert len(caplog.records) == 1 and "keeping the recording in memory" in caplog.text
    in_the_way.unlink()
    spool.data(0, 3.0, b"data: 2\n\n")
    assert spool.read().captures[0].body == b"data: 1\n\ndata: 2\n\n"
    assert spool.path.exists()


def test_a_record_that_json_cannot_hold_is_left_out_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    spool = filled(tmp_path)
    spool.end(0, End(float("nan"), "complete"))
    spool.data(0, 3.0, b"x")
    (read,) = spool.read().captures
    assert read.body == b"data: 1\n\nx" and "END record is left out" in caplog.text


def test_the_flusher_flushes_every_open_spool(tmp_path: Path) -> None:
    spools = [filled(tmp_path), filled(tmp_path)]
    flusher.flush()
    assert files(tmp_path) == sorted(spool.path for spool in spools)
