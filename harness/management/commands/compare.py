"""``manage.py compare A B``: direct against gateway."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from harness.errors import InputError
from harness.management.base import Outcome, code_of
from harness.management.stored import Stored
from harness.report.compared import lines
from harness.runs.catalogue import afind
from harness.runs.compare import compare
from harness.runs.ladder import PROMPT


class Command(Stored):
    diagnoses = True
    help = "Ask two routes the same several times, and say whether, where and how their answers differ."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("first", metavar="A", help="the inner or direct way: ROUTE or ROUTE/HOP")
        parser.add_argument("second", metavar="B", help="the way through the gateway")
        parser.add_argument("--repeat", type=int, default=5, metavar="N", help="times each (default 5, at most 50)")
        parser.add_argument("--prompt", default=PROMPT, metavar="T", help="what to ask (default: to count)")
        self.add_store(parser)

    async def run(self, **options: Any) -> Outcome:
        if not 1 <= options["repeat"] <= 50:
            raise InputError(f"--repeat is {options['repeat']}", do="Use a number from 1 to 50.")
        first, second = await afind(options["first"]), await afind(options["second"])
        found = await compare(first, second, prompt=options["prompt"], repeat=options["repeat"], tell=self.say)
        said = "\n".join(lines(found))
        outcome = Outcome(found.as_json(), f"{said}\n\n{self._picture(found.answer)}", code_of(found.answer))
        names, asked = f"{options['first']} | {options['second']}", {key: options[key] for key in ("prompt", "repeat")}
        return await self.stored(outcome, options, "compare", names, found.captures, {"plan": asked}, said)
