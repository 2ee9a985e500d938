"""What the commands that ask a route have in common: their arguments, their plan, and what they leave behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.errors import InputError
from harness.management.base import Outcome
from harness.management.with_logs import WithLogs
from harness.report.junit import junit
from harness.routes.model import Hop, Route
from harness.runs.curl import curl_command
from harness.runs.ladder import PROMPT, Plan, unreached
from harness.runs.result import RunResult, save


class Experiment(WithLogs):
    """A command that sends a prompt to hops of a route, several times perhaps."""

    def add_experiment(self, parser: CommandParser) -> None:
        parser.add_argument("--repeat", type=int, default=1, metavar="N", help="rounds (default 1)")
        parser.add_argument(
            "--until-fault", action="store_true", help="repeat until a round is bad; keep it and the one before"
        )
        parser.add_argument(
            "--max", type=int, default=50, metavar="N", help="most rounds with --until-fault (default 50)"
        )
        parser.add_argument("--prompt", default=PROMPT, metavar="T", help="what to ask (default: to count)")
        parser.add_argument("--no-stream", action="store_true", help="ask for an answer that is not streamed")
        parser.add_argument("--save", type=Path, metavar="DIR", help="write the captures there")
        parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML there")
        parser.add_argument("--curl", action="store_true", help="only print the curl command of each hop")
        self.add_logs(parser)

    def plan(self, options: Mapping[str, Any], **more: Any) -> Plan:
        for name in ("repeat", "max"):
            if not 1 <= options[name] <= 100_000:
                raise InputError(f"--{name} is {options[name]}", do="Use a number from 1 to 100000.")
        self.logs(options)
        if not options["prompt"].strip():
            raise InputError("the prompt is empty", "--prompt", "Write something to ask.")
        return Plan(
            prompt=options["prompt"],
            repeat=options["repeat"],
            until_fault=options["until_fault"],
            most=options["max"],
            stream=not options["no_stream"],
            **more,
        )

    def finish(self, result: RunResult, route: Route, plan: Plan, options: Mapping[str, Any]) -> Answer | Outcome:
        """Name the hops out of reach, write what was asked for, and hand the answer on."""
        hops = {hop.name: hop for hop in route.hops}
        for capture in unreached(result.captures):
            why = capture.end.detail or capture.end.kind if capture.end else ""
            self.say(
                f"{capture.hop}: not reached ({why}). Run this where it can be reached, then bring the recording in:"
            )
            self.say("  " + curl_command(route, hops[capture.hop], said(plan.prompt), stream=plan.stream))
            self.say(f"  python manage.py ladder {route.name} --add {capture.hop}={capture.hop}.trace")
        if options["save"]:
            files = save(result.captures, options["save"])
            self.say(f"{len(files)} captures written to {options['save']}")
        if options["junit"]:
            write(options["junit"], junit(result.answer, route.name))
        return self.beside_logs(result.answer, result.captures, options, fresh=True)


def said(prompt: str) -> Sequence[Mapping[str, str]]:
    return [{"role": "user", "content": prompt}]


def curls(route: Route, hops: Sequence[Hop], plan: Plan) -> dict[str, str]:
    """The curl command of each hop, by its name; `diagnose` reads the trace that it writes."""
    return {hop.name: curl_command(route, hop, said(plan.prompt), stream=plan.stream) for hop in hops}


def write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", str(file), "Name a file that can be.") from None


def added(words: Sequence[str]) -> dict[str, list[Capture]]:
    """``HOP=FILE`` words as recordings by hop name. Raises InputError."""
    from harness.probe.recording import read_recording

    found: dict[str, list[Capture]] = {}
    for word in words:
        hop, mark, name = word.partition("=")
        if not mark or not hop or not name:
            raise InputError(f"{word!r} is not HOP=FILE", "--add", "Write for instance --add engine=engine.trace.")
        found.setdefault(hop, []).extend(read_recording(Path(name), hop))
    return found
