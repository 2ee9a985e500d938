"""What the commands that ask a route have in common: their arguments, their plan, and what they leave behind."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from asgiref.sync import sync_to_async
from django.core.management.base import CommandParser

from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.errors import InputError
from harness.management.base import Outcome, code_of
from harness.management.entry import INTERRUPTED, NO_VERDICT
from harness.management.stored import Stored
from harness.management.with_logs import WithLogs
from harness.phrase import say, spoken, term
from harness.probe.recording import read_recording
from harness.report.hops import hop_rows, hop_table
from harness.report.junit import junit
from harness.report.told import told
from harness.routes.model import Hop, Route
from harness.runs.baseline import Change, changes, held_against
from harness.runs.curl import curl_command, left_open
from harness.runs.ladder import PROMPT, Plan, unreached
from harness.runs.remember import spec_of
from harness.runs.result import RunResult, save
from harness.timeline.row import row
from harness.wire.decode import decode


class Experiment(WithLogs, Stored):
    """A command that sends a prompt to hops of a route, several times perhaps."""

    def add_experiment(self, parser: CommandParser) -> None:
        parser.add_argument("--repeat", type=int, default=1, metavar="N", help="rounds (default 1)")
        parser.add_argument(
            "--until-fault", action="store_true", help="repeat until a round is bad; keep it and the one before"
        )
        parser.add_argument(
            "--max", type=int, metavar="N", help=f"most rounds with --until-fault (default {Plan().most})"
        )
        parser.add_argument("--prompt", default=PROMPT, metavar="T", help="what to ask (default: to count)")
        parser.add_argument("--no-stream", action="store_true", help="ask for an answer that is not streamed")
        parser.add_argument("--save", type=Path, metavar="DIR", help="write the captures there")
        parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML there")
        parser.add_argument(
            "--baseline", metavar="RUN", help="fail where it is worse than this run (id, or folder of captures)"
        )
        parser.add_argument("--curl", action="store_true", help="only print the curl command of each hop")
        self.add_logs(parser)
        self.add_store(parser)

    def plan(self, options: Mapping[str, Any], **more: Any) -> Plan:
        most = Plan().most if options["max"] is None else options["max"]
        for name, number in (("repeat", options["repeat"]), ("max", most)):
            if not 1 <= number <= 100_000:
                raise InputError(f"--{name} is {number}", do="Use a number from 1 to 100000.")
        if options["max"] is not None and not options["until_fault"]:
            raise InputError("--max limits --until-fault, which is not given", do="Add it, or use --repeat N.")
        self.logs(options)
        self._can_leave(options)
        if not options["prompt"].strip():
            raise InputError("the prompt is empty", "--prompt", "Write something to ask.")
        return Plan(
            prompt=options["prompt"],
            repeat=options["repeat"],
            until_fault=options["until_fault"],
            most=most,
            stream=not options["no_stream"],
            partial=True,
            **more,
        )

    def _can_leave(self, options: Mapping[str, Any]) -> None:
        """What cannot be written is said before anything is asked. Raises InputError."""
        if options["save"]:
            save((), options["save"])
        if (file := options["junit"]) is None:
            return
        if file.is_dir() or not file.parent.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
            raise InputError("cannot be written", str(file), "Name a file that can be.")

    async def earlier(self, options: Mapping[str, Any]) -> Sequence[Capture] | None:
        """The captures of ``--baseline``, read before anything is sent. Raises InputError."""
        name = options["baseline"]
        return None if name is None else await sync_to_async(baseline)(name)

    async def finish(
        self,
        kind: str,
        result: RunResult,
        route: Route,
        plan: Plan,
        options: Mapping[str, Any],
        earlier: Sequence[Capture] | None = None,
    ) -> Outcome:
        """Tell the result (:meth:`outcome`) and store it as a run of that kind."""
        found = self.outcome(result, route, plan, options, earlier)
        # The records of the engine are not kept: whoever judges the run anew has the captures that are its own.
        asked = {"prompt": plan.prompt, "repeat": plan.repeat, "stream": plan.stream, "rounds": result.rounds}
        asked |= {"until_fault": True, "most": plan.most} if plan.until_fault else {}
        spec = spec_of(route, asked)
        found = await self.stored(found, options, kind, options["route"], result.captures, spec)
        if not result.interrupted:
            return found
        if result.rounds:
            self.say(say("Interrupted: the verdict is of the rounds that had ended ({count}).", count=result.rounds))
        else:
            self.say(say("Interrupted: the verdict is of the hops that had answered."))
        return replace(found, code=INTERRUPTED)

    def outcome(
        self,
        result: RunResult,
        route: Route,
        plan: Plan,
        options: Mapping[str, Any],
        earlier: Sequence[Capture] | None = None,
    ) -> Outcome:
        """Name the hops out of reach, hold it against the baseline, write what was asked for, and hand it all on."""
        hops = {hop.name: hop for hop in route.hops}
        for capture in unreached(result.captures):
            why = capture.end.detail or capture.end.kind if capture.end else ""
            self.say(
                say(
                    "{hop}: not reached ({why}). Run this where it can be reached, then bring the recording in:",
                    hop=capture.hop,
                    why=term(why),
                )
            )
            self.say("  " + self._curl(route, hops[capture.hop], plan))
            self.say(f"  python manage.py ladder {route.name} --add {capture.hop}={capture.hop}.trace")
        found: list[Change] = [] if earlier is None else changes(earlier, result.captures)
        answer = held_against(result.answer, found)
        lost = self._left(result, answer, route, options)
        outcome = self.beside_logs(answer, result.captures, options, fresh=True)
        if isinstance(outcome, Answer):
            outcome = Outcome(outcome.as_json(), self._picture(outcome), code_of(outcome))
        data = outcome.data | {"hops": hop_rows(result.captures)}
        text = outcome.text + "\n" + hop_table(result.captures) + "\n"
        if result.records:
            data["ledger"] = [row(decode(record)) for record in result.records]
            text += say("The engine's own record of each exchange (its ledger) was read beside ours.") + "\n"
        if earlier is not None:
            data["baseline"] = [change.as_json() for change in found]
            text += "\n".join(["", say("against {baseline}:", baseline=options["baseline"]), *map(str, found)]) + "\n"
        return replace(outcome, data=data, text=text, code=NO_VERDICT if lost else outcome.code)

    def curls(self, route: Route, hops: Sequence[Hop], plan: Plan) -> Outcome:
        """The curl command of each hop, by its name; `diagnose` reads the trace that it writes."""
        lines = {hop.name: self._curl(route, hop, plan) for hop in hops}
        return Outcome(lines, "\n".join(lines.values()))

    def _curl(self, route: Route, hop: Hop, plan: Plan) -> str:
        """The hop's curl command; what is to be filled in there is said."""
        if names := left_open(hop):
            told = {"hop": hop.name, "names": names}
            self.say(say("{hop}: fill in what stands as … in the command, the values of its headers: {names}", **told))
        return curl_command(route, hop, said(plan.prompt), stream=plan.stream)

    def _left(self, result: RunResult, answer: Answer, route: Route, options: Mapping[str, Any]) -> bool:
        """Write what was asked for. Where that fails now (a full disk), it is said, and the verdict is not lost too."""
        try:
            if options["save"]:
                files = save((*result.captures, *result.records), options["save"])
                self.say(say("{count} captures written to {directory}", count=len(files), directory=options["save"]))
            if options["junit"]:
                write(options["junit"], junit(answer.told(spoken.get()), route.name))
        except InputError as error:
            self.say(f"Error: {error}")
            return True
        return False


def baseline(name: str) -> Sequence[Capture]:
    """The captures of a folder that ``--save`` wrote, of a recording, or of a stored run. Raises InputError."""
    folder = Path(name)
    if folder.is_file():
        return read_recording(folder)
    if not folder.is_dir():
        return told(name).captures
    files = sorted(folder.glob("*.capture.jsonl"))
    if not files:
        raise InputError("no *.capture.jsonl in that folder", name, "Name one that --save wrote.")
    return [capture for file in files for capture in read_recording(file)]


def said(prompt: str) -> Sequence[Mapping[str, str]]:
    return [{"role": "user", "content": prompt}]


def write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", str(file), "Name a file that can be.") from None


def added(words: Sequence[str]) -> dict[str, list[Capture]]:
    """``HOP=FILE`` words as recordings by hop name. Raises InputError."""
    found: dict[str, list[Capture]] = {}
    for word in words:
        hop, mark, name = word.partition("=")
        if not mark or not hop or not name:
            raise InputError(f"{word!r} is not HOP=FILE", "--add", "Write for instance --add engine=engine.trace.")
        found.setdefault(hop, []).extend(read_recording(Path(name), hop))
    return found
