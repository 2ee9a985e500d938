"""``manage.py lab`` from the outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from harness.capture.format import dumps
from harness.lab.synth import ladder, way

ROOT = Path(__file__).resolve().parents[3]


def start(tmp_path: Path, *more: str) -> subprocess.Popen[str]:
    environ = {**os.environ, "HARNESS_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "manage.py", "lab", "--port", "0", *more]
    return subprocess.Popen(command, cwd=ROOT, env=environ, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_it_says_where_it_listens_serves_a_replay_and_ends_on_interrupt(tmp_path: Path) -> None:
    case = tmp_path / "bad.capture.jsonl"
    case.write_bytes(dumps(ladder("lab-reset", 1, way("engine"))[0]))
    with start(tmp_path, "--replay", str(case)) as process:
        try:
            assert process.stderr is not None
            assert "replay-bad" in process.stderr.readline()
            base = process.stderr.readline().split("listens on ")[1].split(";")[0]
            with urllib.request.urlopen(base + "/v1/models", timeout=5) as answer:
                assert b"replay-bad" in answer.read()
            process.send_signal(signal.SIGINT)
            assert process.wait(5) == 130
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--replay", "nothing.jsonl"), "nothing.jsonl"),
        (("--scenarios", "nothing.toml"), "nothing.toml"),
        (("--scale", "-1"), "--scale"),
        (("--port", "65536"), "is no port"),
        (("--port", "-1"), "is no port"),
        (("--scenarios", "."), "expected a file, found a folder"),
    ],
)
def test_wrong_arguments_are_one_sentence_and_exit_2(tmp_path: Path, more: tuple[str, ...], says: str) -> None:
    with start(tmp_path, *more) as process:
        _, told = process.communicate(timeout=20)
    assert process.returncode == 2
    assert says in told and "Traceback" not in told and told.count("\n") == 1
