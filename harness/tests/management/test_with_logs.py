"""``--log`` on the commands that judge: in text, in JSON, and what it refuses."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.capture.format import dumps
from harness.capture.model import Capture, End, Head, Request, stamped

ROOT = Path(__file__).resolve().parents[3]
EVENT = b'data: {"id":"chatcmpl-abcdef12","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'
CUT = (
    '10.0.0.7 - - [30/Nov/2025:12:00:02 +0000] "POST /v1/chat/completions HTTP/1.1" 200 99 "-" "x" '
    'rt=1.500 urt="1.499" id=ex-12345678'
)
ERROR = (
    "2025/11/30 12:00:02 [error] 7#7: *1 upstream prematurely closed connection while reading upstream, "
    'request: "POST /v1/chat/completions HTTP/1.1"'
)


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """A capture of a stream that was cut after 1.5 s."""
    body, times, ends = stamped((100.0 * n, EVENT) for n in range(1, 16))
    capture = Capture(
        "gateway", "gateway", wire="openai", exchange="ex-12345678", sent_at="2025-11-30T12:00:00.500000Z",
        request=Request(url="http://g/v1/chat/completions"), body=body, times=times, ends=ends,
        head=Head(90.0, 200, "1.1", (("content-type", "text/event-stream"),)), end=End(1500.0, "truncated"),
    )  # fmt: skip
    file = tmp_path / "gateway.capture.jsonl"
    file.write_bytes(dumps(capture))
    return file


def run(*words: object, code: int, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "diagnose", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, env=os.environ | (env or {}))
    assert done.returncode == code, done.stderr
    return done


def test_what_the_logs_say_stands_beside_the_verdict(cut: Path, tmp_path: Path) -> None:
    (tmp_path / "access.log").write_text(f"{CUT}\n")
    (tmp_path / "error.log").write_text(f"{ERROR} key=sk-abcdef1234567890abcd\n")
    logs = ("--log", tmp_path / "access.log", "--log", f"gateway={tmp_path}/error.log")
    answer: dict[str, Any] = json.loads(run(cut, *logs, "--format", "json", code=1).stdout)
    assert answer["verdict"]["symptom"] == "truncation" and set(answer) == {
        "schema", "captures", "findings", "verdict", "logs",
    }  # fmt: skip
    access, error = answer["logs"]
    assert (access["matched"], access["format"], access["exchange"]) == ("id", "nginx access", "ex-12345678")
    assert access["lines"][0]["fields"]["request_time"] == "1.500" and access["lines"][0]["by_id"] is True
    assert (error["matched"], error["lines"][0]["level"], error["lines"][0]["after_ms"]) == ("time", "error", 1500.0)
    assert error["lines"][0]["precision_ms"] == 1000.0
    assert "closed before its answer was complete" in error["lines"][0]["means"]
    text = run(cut, *logs, code=1).stdout
    assert "found by id" in text and f"»    ≈+1.5 s  {CUT[:40]}" in text and "= the hop behind nginx closed" in text
    assert "sk-abc" not in text


def test_local_time_is_this_machines(cut: Path, tmp_path: Path) -> None:
    (tmp_path / "error.log").write_text(ERROR.replace("12:00:02", "20:00:02") + "\n")
    done = run(cut, "--log", tmp_path / "error.log", "--format", "json", code=1, env={"TZ": "Asia/Shanghai"})
    assert json.loads(done.stdout)["logs"][0]["lines"][0]["after_ms"] == 1500.0


def test_an_offset_can_be_named(cut: Path, tmp_path: Path) -> None:
    (tmp_path / "error.log").write_text(ERROR.replace("12:00:02", "13:30:02") + "\n")
    words = (cut, "--log", tmp_path / "error.log", "--format", "json")
    missed = json.loads(run(*words, code=1).stdout)["logs"][0]
    assert (missed["matched"], missed["lines"]) == (None, []) and "--log-offset" in missed["note"]
    found = json.loads(run(*words, "--log-offset", "5400", code=1).stdout)["logs"][0]
    assert (found["offset_ms"], len(found["lines"])) == (5_400_000.0, 1)


@pytest.mark.parametrize("kind", ["missing", "folder", "compressed", "hop", "offset"])
def test_a_log_that_cannot_be_used_is_one_sentence(cut: Path, tmp_path: Path, kind: str) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(gzip.compress(b"x") if kind == "compressed" else b"x\n")
    named = {"missing": tmp_path / "none.log", "folder": tmp_path, "hop": f"nobody={log}"}.get(kind, log)
    done = run(cut, "--log", named, *(("--log-offset", "nan") if kind == "offset" else ()), code=2)
    assert not done.stdout and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
