"""``manage.py cancel ROUTE``: does Stop reach the engine?"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from harness.errors import InputError
from harness.management.base import Outcome, code_of
from harness.management.stored import Stored
from harness.runs.cancel import PROMPT, SILENCE, WITHIN, cancel
from harness.runs.catalogue import afind
from harness.runs.remember import spec_of


class Command(Stored):
    diagnoses = True
    help = "Leave in the middle of an answer at every hop of a route, and see whether the engine stops."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("route", metavar="ROUTE[/HOP]", help="a route, or a route cut off at a hop")
        parser.add_argument("--prompt", default=PROMPT, metavar="T", help="what to ask (default: to count long)")
        parser.add_argument(
            "--silence", type=float, default=SILENCE, metavar="S",
            help=f"seconds without text that are a stall, for engines other than the lab (default {SILENCE:g})",
        )  # fmt: skip
        parser.add_argument(
            "--within", type=float, default=WITHIN, metavar="S",
            help=f"seconds that a stall is waited for at each hop; 0 does not wait (default {WITHIN:g})",
        )  # fmt: skip
        self.add_store(parser)

    async def run(self, **options: Any) -> Outcome:
        silence, within = options["silence"], options["within"]
        if not 0 < silence <= 3600 or not 0 <= within <= 3600:
            what = f"--silence is {silence:g}" if not 0 < silence <= 3600 else f"--within is {within:g}"
            raise InputError(what, do="Use seconds, at most 3600.")
        route = await afind(options["route"])
        answer, trials = await cancel(route, prompt=options["prompt"], silence=silence, within=within, tell=self.say)
        data = answer.as_json() | {"trials": [trial.as_json() for trial in trials]}
        said = "\n".join(str(trial) for trial in trials)
        outcome = Outcome(data, f"{said}\n\n{self._picture(answer)}", code_of(answer))
        spec = spec_of(route, {"prompt": options["prompt"]})
        return await self.stored(outcome, options, "cancel", options["route"], (), spec, said)
