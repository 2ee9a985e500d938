"""What ``manage.py`` runs: every way a command can end becomes an exit code and at most one sentence."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from harness.env import mistyped
from harness.errors import StreamscopeError

FAULTS = 1
NO_VERDICT = 2
INTERRUPTED = 130
WARNED = "STREAMSCOPE_WARNED"  # set for our children, so that what the parent told is told once
ROOT = Path(__file__).resolve().parent.parent.parent

DAMAGED = "It is damaged: move {file} away (a new one is made), or set HARNESS_DATA_DIR to another directory."
# What SQLite says, and what helps; the last one is for all else.
DATABASE = (
    ("not a database", DAMAGED),
    ("malformed", DAMAGED),
    ("locked", "Another process writes to it: try again when that is done."),
    ("full", "Make room on its disk, or set HARNESS_DATA_DIR to a directory on another."),
    ("disk I/O", "Its disk is full or broken: make room, or set HARNESS_DATA_DIR to a directory on another."),
    ("unable to open", "Set HARNESS_DATA_DIR to a directory that can be written."),
    ("readonly", "Set HARNESS_DATA_DIR to a directory that can be written."),
    ("", "Run `manage.py migrate` (`manage.py up` does), or set HARNESS_DATA_DIR."),
)


class Exit(SystemExit):
    """An exit code chosen by Streamscope, unlike Django's habit of exiting 1 on its own errors."""


def main(argv: list[str]) -> int:
    """Run the command line and return its exit code: 0 healthy, 1 faults found, 2 no verdict, 130 interrupted."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "harness.settings")
    if WARNED not in os.environ:
        for line in mistyped(os.environ):
            _tell(f"Warning: {line}")
        os.environ[WARNED] = "1"
    try:
        _run(argv)
        return _flush(0)
    except Exit as end:
        return _flush(end.code if isinstance(end.code, int) else NO_VERDICT)
    except SystemExit as end:
        if isinstance(end.code, str):
            _tell(end.code)
        return _flush(NO_VERDICT if end.code else 0)
    except BrokenPipeError:
        return _flush(NO_VERDICT)
    except KeyboardInterrupt:
        _tell("Interrupted.")
        return INTERRUPTED
    except BaseException as error:
        if os.environ.get("HARNESS_TRACEBACK", "") not in ("", "0"):
            traceback.print_exc()
        _tell("Error: " + sentence(error))
        return NO_VERDICT


def _run(argv: list[str]) -> None:
    """Django's way to a command. What is imported on it stays to the end, so no collection needs to look at it."""
    gc.disable()
    from django.core.management import ManagementUtility

    class Utility(ManagementUtility):
        def fetch_command(self, subcommand: str) -> Any:
            try:
                return super().fetch_command(subcommand)
            finally:
                gc.freeze()
                gc.enable()

    try:
        Utility(argv).execute()
    finally:
        gc.enable()


def sentence(error: BaseException) -> str:
    """One sentence for the user: what happened, where, and what to do about it."""
    if isinstance(error, StreamscopeError):
        return str(error)
    if type(error).__name__ == "CommandError":
        return str(error).removeprefix("Error: ")
    if type(error).__module__ == "django.db.utils":
        text = " ".join(str(error).split())
        do = next(do for part, do in DATABASE if part in text)
        return f"database: {text}. {do.replace('{file}', _database_file())}"
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith(("harness", "chat")):
        return f"the package {error.name} is not installed here. Run `make setup`, then .venv/bin/python manage.py."
    if isinstance(error, OSError) and error.strerror:
        return ": ".join(str(part) for part in (error.filename, error.strerror) if part) + "."
    return (
        f"{type(error).__name__}: {error} (at {_place(error)}). This is a defect of Streamscope; "
        "HARNESS_TRACEBACK=1 shows the whole trace."
    )


def _database_file() -> str:
    from django.conf import settings

    return str(settings.DATABASES["default"]["NAME"])


def _place(error: BaseException) -> str:
    """The innermost line of our own code that the error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if Path(f.filename).is_relative_to(ROOT) and ".venv" not in Path(f.filename).parts]
    if not own:
        return "start"
    return f"{Path(own[-1].filename).relative_to(ROOT)} line {own[-1].lineno}"


def _tell(line: str) -> None:
    try:
        sys.stderr.write(" ".join(line.split()) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def _flush(code: int) -> int:
    """Flush stdout; where its reader is gone (``| head``), keep the code and keep the interpreter quiet."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
