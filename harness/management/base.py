"""The base of every Streamscope command: formats, exit codes, one event loop, progress on stderr."""

from __future__ import annotations

import argparse
import asyncio
import inspect
import json
import shutil
import signal
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from harness.diagnose.answer import Answer
from harness.language import LANGUAGES, speaking
from harness.management.entry import FAULTS, NO_VERDICT, Exit
from harness.phrase import Translate, spoken, told
from harness.report.text import render


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command has to say: ``data`` for ``--format json``, ``text`` for people, and the exit code."""

    data: Any
    text: str = ""
    code: int = 0


def code_of(answer: Answer) -> int:
    """0 healthy, 1 faults found, 2 nothing could be judged."""
    return {True: 0, False: FAULTS, None: NO_VERDICT}[answer.verdict.healthy]


class ScopeCommand(BaseCommand):
    """Subclasses define ``add_arguments`` (``--format`` comes by itself, for subcommands too) and ``run``.

    ``run(self, **options)`` gets the parsed options and returns an :class:`Answer` (its verdict is the exit
    code), an :class:`Outcome`, or None (said nothing, exit 0). It may be ``async def``: then it runs under one
    ``asyncio.run``, and Ctrl-C or SIGTERM cancel it, so that its ``finally`` blocks run. Errors are raised as
    :class:`harness.errors.StreamscopeError` and become one sentence on stderr and exit 2
    (:mod:`harness.management.entry`). Progress goes through :meth:`say`.
    """

    requires_system_checks: list[str] = []  # noqa: RUF012  (Django's own names and types)
    suppressed_base_arguments = {  # noqa: RUF012
        "--version", "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color", "--force-color",
        "--skip-checks",
    }  # fmt: skip
    as_json = False
    diagnoses = False
    """Whether it says verdicts, so that ``--lang`` chooses their language."""

    def run(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}.run")

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        _add_format(parser, "text")
        if self.diagnoses:
            parser.add_argument(
                "--lang", choices=tuple(LANGUAGES), default="en", help="language of the sentences (default en)"
            )
        return parser

    def run_from_argv(self, argv: list[str]) -> None:
        """Parse and run; unlike Django's, it lets every error through to the one place that words it."""
        options = vars(self.create_parser(argv[0], argv[1]).parse_args(argv[2:]))
        self.execute(*options.pop("args", ()), **options)

    def handle(self, *args: Any, **options: Any) -> None:
        with speaking(options.pop("lang", "en")) as translate:
            self._handle(translate, options)

    def _handle(self, translate: Translate, options: dict[str, Any]) -> None:
        self.as_json = options.pop("format", "text") == "json"
        result = self.run(**options)
        if inspect.iscoroutine(result):
            result = drive(result)
        if result is None:
            return
        if isinstance(result, Answer):
            result = Outcome(result.as_json(), self._picture(result), code_of(result))
        self._print(to_json(told(result.data, translate), self._encoding()) if self.as_json else result.text)
        if result.code:
            raise Exit(result.code)

    def say(self, line: str) -> None:
        """Progress, for people: stderr, so that stdout holds the result alone."""
        self.stderr.write(told(line, spoken.get()), style_func=str)

    def _picture(self, answer: Answer) -> str:
        return render(answer, self._width(), colour=self.stdout.isatty())

    def _width(self) -> int:
        """Columns to fill: the terminal's, at most 100; 80 where there is none."""
        return min(shutil.get_terminal_size().columns, 100) if self.stdout.isatty() else 80

    def _encoding(self) -> str:
        return getattr(self.stdout, "encoding", None) or "utf-8"

    def _print(self, text: str) -> None:
        if not text:
            return
        encoding = self._encoding()
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            text = text.encode(encoding, "backslashreplace").decode(encoding)
        self.stdout.write(text)
        self.stdout.flush()


def to_json(data: Any, encoding: str = "utf-8") -> str:
    """Readable JSON; where ``encoding`` cannot hold a character (a lone surrogate, say), all of it in ASCII."""
    text = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(data, indent=2)
    return text


def drive(work: Coroutine[Any, Any, Any]) -> Any:
    """``asyncio.run`` that Ctrl-C and SIGTERM cancel alike (exit 130 and 143), also where a shell started us with
    SIGINT ignored, as it does in the background. A second Ctrl-C ends us at once."""
    ended_by: list[int] = []

    async def main() -> Any:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def end(number: int) -> None:
            if number in ended_by:
                raise Exit(128 + number)
            ended_by.append(number)
            if task:
                task.cancel()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, end, number)
        return await work

    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        if not ended_by:
            raise
        if ended_by[0] == signal.SIGINT:
            raise KeyboardInterrupt from None
        raise Exit(128 + ended_by[0]) from None


def _add_format(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--format", choices=("text", "json"), default=default, help="for people (default), or JSON alone on stdout"
    )
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in set(action.choices.values()):
                _add_format(child, argparse.SUPPRESS)
