"""The base command: formats, exit codes, one-sentence errors, and every way to be ended."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandParser
from django.db import DatabaseError, OperationalError

from harness.diagnose.answer import Answer, Verdict
from harness.errors import InputError
from harness.management.base import Outcome, ScopeCommand, to_json
from harness.management.entry import Exit, sentence

ROOT = Path(__file__).resolve().parents[3]
DATABASE = settings.DATABASES["default"]["NAME"]


def answer(healthy: bool | None) -> Answer:
    return Answer((), (), Verdict(healthy, None, None, "certain", "Said so."))


class Says(ScopeCommand):
    """Says what it was made with."""

    def __init__(self, result: Any) -> None:
        super().__init__(stdout=io.StringIO(), stderr=io.StringIO())
        self.result = result

    def run(self, **options: Any) -> Any:
        self.say("working")
        return self.result


@pytest.mark.parametrize(("healthy", "code"), [(True, 0), (False, 1), (None, 2)])
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_verdict_is_the_exit_code(healthy: bool | None, code: int, form: str) -> None:
    command = Says(answer(healthy))
    try:
        call_command(command, "--format", form)
        ended: object = 0
    except Exit as end:
        ended = end.code
    assert ended == code
    assert "Said so." in command.stdout.getvalue()


def test_json_stands_alone_on_stdout_and_progress_goes_to_stderr() -> None:
    command = Says(Outcome({"say": "你好"}, "text"))
    call_command(command, "--format", "json")
    assert json.loads(command.stdout.getvalue()) == {"say": "你好"}
    assert command.stderr.getvalue() == "working\n"


def test_a_coroutine_is_run() -> None:
    async def later() -> Outcome:
        return Outcome({}, "later")

    command = Says(later())
    call_command(command)
    assert command.stdout.getvalue() == "later\n"


def test_json_holds_what_the_encoding_cannot() -> None:
    assert json.loads(to_json({"a": "\ud800"})) == {"a": "\ud800"}
    assert to_json({"a": "你"}, "ascii").isascii()
    with pytest.raises(ValueError, match="JSON"):
        to_json({"a": float("nan")})


def test_subcommands_take_the_format_too() -> None:
    class Verbs(ScopeCommand):
        def add_arguments(self, parser: CommandParser) -> None:
            parser.add_subparsers(dest="verb").add_parser("go")

    parser = Verbs().create_parser("manage.py", "verbs")
    assert parser.parse_args(["go", "--format", "json"]).format == "json"
    assert parser.parse_args(["--format", "json", "go"]).format == "json"
    assert parser.parse_args(["go"]).format == "text"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (InputError("no such thing", "file.x", "Make one."), "file.x: no such thing. Make one."),
        (ModuleNotFoundError("no", name="django"), "the package django is not installed here. Run `make setup`"),
        (FileNotFoundError(2, "No such file or directory", "x"), "x: No such file or directory."),
        (OperationalError("database is locked"), "database: database is locked. Another process writes to it"),
        (
            DatabaseError("file is not a database"),
            f"database: file is not a database. It is damaged: move {DATABASE} away",
        ),
        (OperationalError("no such table: x"), "database: no such table: x. Run `manage.py migrate`"),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero (at start). This is a defect"),
    ],
    ids=["ours", "no package", "system", "locked", "damaged", "unmade", "defect"],
)
def test_an_error_is_one_sentence(error: Exception, told: str) -> None:
    assert sentence(error).startswith(told)


def manage(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *args], cwd=ROOT, env=os.environ | env, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    "args",
    [
        ("nonsense",),
        ("routes",),
        ("routes", "list", "--format", "xml"),
        ("routes", "load", "/nowhere/routes.toml"),
        ("routes", "check", "nowhere"),
        ("migrate", "--nonsense"),
        ("migrate", "nonsense"),
        ("runserver", "8000"),
    ],
    ids=" ".join,
)
def test_misuse_exits_2_without_a_traceback_and_with_nothing_on_stdout(args: tuple[str, ...], tmp_path: Path) -> None:
    done = manage(*args, HARNESS_DATA_DIR=str(tmp_path / "var"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip() and "Traceback" not in done.stderr


def test_the_trace_is_shown_on_demand(tmp_path: Path) -> None:
    done = manage("routes", "load", str(tmp_path / "none"), HARNESS_TRACEBACK="1")
    assert done.returncode == 2 and "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Error: ")


def test_help_and_version_exit_0() -> None:
    assert manage("routes", "--help").returncode == manage("--version").returncode == 0


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "routes", "list", "--format", "json"]
    env = os.environ | {"HARNESS_DATA_DIR": str(tmp_path / "var")}
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout and child.stderr
        child.stdout.close()
        told = child.stderr.read()
    assert told == b""


@pytest.mark.parametrize(
    ("number", "code", "told"), [(signal.SIGINT, 130, "Interrupted.\n"), (signal.SIGTERM, 143, "")]
)
def test_ending_it_from_outside_is_no_traceback(number: int, code: int, told: str, tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "lab", "--port", "0"]
    env = os.environ | {"HARNESS_DATA_DIR": str(tmp_path / "var")}
    with subprocess.Popen(command, cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr
        assert "listens" in child.stderr.readline()
        child.send_signal(number)
        rest = child.stderr.read()
        assert (child.wait(), rest) == (code, told)
