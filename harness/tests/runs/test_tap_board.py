"""A tap's board: what it says is read by others, and whether it lives is known however it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from harness.runs import tap_board
from harness.runs.tap_board import Board, boards

OWNER = """
import os, sys, time
os.environ["DJANGO_SETTINGS_MODULE"] = "harness.settings"
import django; django.setup()
from harness.runs.tap_board import Board
Board(listen="http://a").write({"exchanges": 1})
print("up", flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def data(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_nothing_is_known_before_any_tap() -> None:
    assert boards() == []


def test_a_board_says_what_it_was_told_last_and_that_its_tap_ended() -> None:
    board = Board(listen="http://a", upstream="http://b")
    board.write({"exchanges": 1})
    board.write({"exchanges": 2})
    (news,) = boards()
    assert (news["state"], news["listen"], news["exchanges"], news["pid"]) == ("listening", "http://a", 2, os.getpid())
    board.close({"exchanges": 3})
    (news,) = boards()
    assert (news["state"], news["exchanges"]) == ("ended", 3) and news["since"] <= news["ended"]


def test_a_tap_that_was_killed_is_gone(data: Path) -> None:
    env = os.environ | {"HARNESS_DATA_DIR": str(data)}
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, env=env)
    try:
        assert owner.stdout is not None and owner.stdout.readline() == b"up\n"
        assert boards()[0]["state"] == "listening"
    finally:
        owner.send_signal(signal.SIGKILL)
        owner.communicate(timeout=10)
    assert boards()[0]["state"] == "gone"


def test_what_is_no_board_is_passed_over(data: Path) -> None:
    Board(listen="http://a").close({})
    (data / "taps" / "torn.json").write_text('{"id": ')
    assert [news["listen"] for news in boards()] == ["http://a"]


def test_boards_of_taps_that_ended_long_ago_are_taken_down(data: Path) -> None:
    Board(listen="http://old").close({})
    long_ago = time.time() - tap_board.STALE.total_seconds() - 60
    for path in (data / "taps").iterdir():
        os.utime(path, (long_ago, long_ago))
    Board(listen="http://new").write({})
    assert [news["listen"] for news in boards()] == ["http://new"]


def test_a_disk_that_takes_no_board_is_told_once(data: Path, caplog: pytest.LogCaptureFixture) -> None:
    (data / "taps").write_text("a file")
    board = Board(listen="http://a")
    for _ in range(3):
        board.write({})
    board.close({})
    assert caplog.text.count("does not hear of this tap") == 1 and boards() == []
