"""What people really have: files that curl left, by the command that we print and by commands of their own."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import ROOT, Product, manage

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")

# Name of the file → the model, and how a shell makes the file of it. {curl} is curl with address and question.
COMMANDS = {
    "body": ("lab-loss", "{curl} -s > {file}"),
    "cut": ("lab-truncate", "{curl} -s > {file}"),
    "head": ("lab-reorder", "{curl} -si > {file}"),
    "refused": ("lab-busy", "{curl} -si > {file}"),
    "log": ("lab-reset", "{curl} -v > {file} 2>&1"),
    "log-cut": ("lab-truncate", "{curl} -sv > {file} 2>&1"),
    "terminal": ("lab-steady", "{curl} --trace-time --trace - > {file} 2>&1"),
    "ascii": ("lab-stall", "{curl} -s --trace-time --trace-ascii {file} -o /dev/null"),
    "untimed": ("lab-stall", "{curl} -s --trace {file} -o /dev/null"),
    "left": ("lab-steady", "{curl} -s -m 1.5 --trace-time --trace {file} -o /dev/null"),
    "piped": ("lab-duplicate", "{curl} -s --trace-time --trace - -o /dev/null | gzip > {file}"),
    "sent-on": ("lab-steady", "{curl} -s -L -x {lab} --trace-time --trace {file} -o /dev/null"),
}
EXPECTED = {
    "body": "loss", "cut": "truncation", "head": "reorder", "refused": "error", "log": "reset", "log-cut": "truncation",
    "terminal": None, "ascii": "stall", "untimed": None, "left": None, "piped": "duplicate", "sent-on": None,
}  # fmt: skip
PRINTED = {"lab-stall": "stall", "lab-steady": None, "lab-no-finish": None}


def ask(lab: str, model: str) -> str:
    body = {"model": model, "stream": True, "messages": [{"role": "user", "content": "it's a question"}]}
    words = ["curl", "-N", "-H", "content-type: application/json", "-d", json.dumps(body), f"{lab}/v1/chat/completions"]
    return shlex.join(words)


@pytest.fixture(scope="module")
def folder(scope: Product, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """All files, made at once: most of the time is the lab's."""
    folder = tmp_path_factory.mktemp("curl")
    started = []
    for name, (model, template) in COMMANDS.items():
        line = template.format(curl=ask(scope.lab, model), file=name, lab=scope.lab)
        started.append(subprocess.Popen(["/bin/sh", "-c", line], cwd=folder, stderr=subprocess.DEVNULL))
    for route in PRINTED:
        line = manage("probe", route, "--curl", "--prompt", 'it\'s $HOME `id` "引"\nand more', env=scope.env)
        (folder / route).mkdir()
        (folder / route / "run.sh").write_text(line)
        started.append(subprocess.Popen(["/bin/sh", "run.sh"], cwd=folder / route))
    try:
        for child in started:
            child.wait(60)
        yield folder
    finally:
        for child in started:
            child.kill()


def judged(path: Path, env: dict[str, str]) -> dict[str, Any]:
    """What ``diagnose`` says of the file, whose hop is called engine."""
    command = [sys.executable, "manage.py", "diagnose", "--format", "json", f"engine={path}"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, cwd=ROOT, env=dict(os.environ) | env
    )
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_that_curl_left_is_judged(scope: Product, folder: Path, name: str) -> None:
    answer = judged(folder / name, scope.env)
    assert answer["verdict"]["symptom"] == EXPECTED[name], answer["verdict"]["summary"]
    assert answer["verdict"]["healthy"] is (EXPECTED[name] is None)


@pytest.mark.parametrize("route", PRINTED)
def test_the_command_that_we_print_records_what_diagnose_reads(scope: Product, folder: Path, route: str) -> None:
    trace = folder / route / "engine.trace"
    answer = judged(trace, scope.env)
    assert answer["verdict"]["symptom"] == PRINTED[route], answer["verdict"]["summary"]
    opening = json.loads(manage("convert", str(trace), "--to", "capture", env=scope.env).splitlines()[0])
    (message,) = opening["request"]["body"]["messages"]
    assert message["content"] == 'it\'s $HOME `id` "引"\nand more'
    assert answer["captures"][0]["timing"]["ttft_ms"] > 0
