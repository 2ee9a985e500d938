"""``convert`` as a user runs it: files in, files out, one sentence when it cannot."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.management.entry import main

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "harness" / "tests" / "capture" / "fixtures"
CHUNKED, TWO = str(FIXTURES / "chunked.trace.txt"), str(FIXTURES / "two.ascii.txt")


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Convert = Callable[..., Done]


@pytest.fixture
def convert(capsys: pytest.CaptureFixture[str]) -> Convert:
    """The command in this process, where the test runner forbids every touch of the database."""

    def run(*arguments: str) -> Done:
        code = main(["manage.py", "convert", *arguments])
        return Done(code, *capsys.readouterr())

    return run


def test_it_runs_in_a_fresh_checkout_with_nowhere_to_write() -> None:
    env = {**os.environ, "HARNESS_DATA_DIR": "/proc/none", "PYTHONUTF8": "1"}
    command = [sys.executable, "manage.py", "convert", CHUNKED, "--to", "csv"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("hop,tap,")


def test_a_trace_becomes_a_capture_under_the_given_hop(convert: Convert) -> None:
    done = convert(CHUNKED, "--hop", "gateway", "--to", "capture")
    assert done.returncode == 0 and done.stderr == ""
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["hop"] == "gateway" and lines[-1]["end"] == "complete" and len(lines) == 8


def test_every_way_there_and_back_keeps_the_capture(convert: Convert, tmp_path: Path) -> None:
    first, har, second = tmp_path / "a.jsonl", tmp_path / "b.har", tmp_path / "c.jsonl"
    for source, to, target in ((CHUNKED, "capture", first), (str(first), "har", har), (str(har), "capture", second)):
        assert convert(source, "--to", to, "-o", str(target)).returncode == 0
    assert first.read_bytes() == second.read_bytes()


def test_several_files_stand_in_one_trace(convert: Convert, tmp_path: Path) -> None:
    done = convert(
        f"engine={CHUNKED}", f"proxy={CHUNKED}", "--to", "perfetto", "--format", "json", "-o", str(tmp_path / "t.json")
    )
    assert json.loads(done.stdout)["hops"] == ["engine", "proxy"]
    assert len(json.loads((tmp_path / "t.json").read_text())["traceEvents"]) > 20


def test_several_exchanges_go_to_a_folder_or_one_is_chosen(convert: Convert, tmp_path: Path) -> None:
    assert convert(TWO, "--to", "capture", "-o", str(tmp_path / "out")).returncode == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["1-two.capture.jsonl", "2-two.capture.jsonl"]
    assert convert(TWO, "--entry", "1", "--to", "csv").stdout.count("\n") == 6


def test_with_json_the_content_is_a_text_in_it(convert: Convert) -> None:
    done = json.loads(convert(CHUNKED, "--to", "csv", "--format", "json").stdout)
    assert done["to"] == "csv" and done["content"].startswith("hop,tap,")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((TWO, "--to", "capture"), "2 exchanges are in it"),
        (("/nowhere/x.har", "--to", "csv"), "no such file"),
        ((str(FIXTURES), "--to", "csv"), "found a folder"),
        ((__file__, "--to", "csv"), "format is unknown"),
        ((CHUNKED, TWO, "--hop", "x", "--to", "csv"), "--hop names one hop"),
        ((CHUNKED, "--entry", "7", "--to", "csv"), "no entry 7"),
        ((CHUNKED, "--to", "csv", "-o", "/proc/none/x.csv"), "cannot be written"),
        ((CHUNKED, "--to", "xml"), "invalid choice"),
        ((), "required"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    convert: Convert, arguments: tuple[str, ...], expected: str
) -> None:
    done = convert(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert expected in done.stderr and "Traceback" not in done.stderr
