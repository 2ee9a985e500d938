"""The command: hops by name, both formats, exit codes, one sentence for bad input, and no database."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.capture.format import dumps
from harness.capture.sniff import load_any
from harness.report.har import to_har
from harness.tests.diagnose.build import answer, capture, numbered, spaced

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs ``manage.py diagnose`` with a data directory that must stay untouched."""

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        data = tmp_path / "data"
        done = subprocess.run(
            [sys.executable, "manage.py", "diagnose", *arguments],
            cwd=ROOT,
            env={"HARNESS_DATA_DIR": str(data), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert not list(data.glob("*.sqlite3")), "diagnose must not touch a database"
        return done

    return call


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    made = {
        "good": capture(spaced(answer(numbered()))),
        "lossy": capture(spaced([e for i, e in enumerate(answer(numbered())) if i != 9]), hop="somewhere"),
        "open": capture(spaced(answer(numbered())[:5]), end="open"),
    }
    for name, recorded in made.items():
        (tmp_path / f"{name}.capture.jsonl").write_bytes(dumps(recorded))
    return {name: str(tmp_path / f"{name}.capture.jsonl") for name in made}


def test_exit_codes_and_the_hop_that_is_named(run: Run, files: dict[str, str]) -> None:
    assert run(files["good"]).returncode == 0
    assert run(files["open"]).returncode == 2
    bad = run("--format", "json", files["good"], f"gateway-2={files['lossy']}")
    assert (bad.returncode, bad.stderr) == (1, "")
    told = json.loads(bad.stdout)
    assert told["verdict"]["first_bad_hop"] == "gateway-2"
    assert [(row["hop"], row["kind"]) for row in told["captures"]] == [("engine", "engine"), ("gateway-2", "gateway")]


def test_one_exchange_of_a_file_with_several_can_be_judged_alone(
    run: Run, files: dict[str, str], tmp_path: Path
) -> None:
    both = tmp_path / "both.har"
    with_both = load_any(Path(files["good"]).read_bytes()) + load_any(Path(files["lossy"]).read_bytes())
    both.write_bytes(to_har(with_both))
    told = [json.loads(run("--format", "json", "--entry", str(n), str(both)).stdout) for n in (0, 1)]
    assert [[row["hop"] for row in one["captures"]] for one in told] == [["engine"], ["somewhere"]]
    assert "there is no entry 7" in run("--entry", "7", str(both)).stderr
    assert "several files" in run("--entry", "0", files["good"], files["lossy"]).stderr


def test_text_says_the_verdict_first_and_fits_eighty_columns(run: Run, files: dict[str, str]) -> None:
    told = run(files["good"], f"gateway={files['lossy']}").stdout.splitlines()
    assert "loss" in told[0] and "gateway" in told[0]
    assert max(map(len, told)) <= 80


@pytest.mark.parametrize("arguments", [["missing.capture.jsonl"], [], ["."]], ids=["missing", "none", "folder"])
def test_bad_input_is_one_sentence_and_exit_2(run: Run, arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().count("\n") == 0
