"""``manage.py cancel ROUTE``: does Stop reach the engine?"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from harness.management.base import Outcome, ScopeCommand, code_of
from harness.runs.cancel import PROMPT, cancel
from harness.runs.catalogue import afind


class Command(ScopeCommand):
    diagnoses = True
    help = "Leave in the middle of an answer at every hop of a route, and see whether the engine stops."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("route", metavar="ROUTE[/HOP]", help="a route, or a route cut off at a hop")
        parser.add_argument("--prompt", default=PROMPT, metavar="T", help="what to ask (default: to count long)")

    async def run(self, **options: Any) -> Outcome:
        answer, trials = await cancel(await afind(options["route"]), prompt=options["prompt"], tell=self.say)
        data = answer.as_json() | {"trials": [trial.as_json() for trial in trials]}
        text = "\n".join([*(str(trial) for trial in trials), "", self._picture(answer)])
        return Outcome(data, text, code_of(answer))
