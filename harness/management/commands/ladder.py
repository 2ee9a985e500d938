"""``manage.py ladder ROUTE``: every hop, innermost outwards, and the first bad one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from harness.management.base import Outcome, code_of
from harness.management.experiment import Experiment, added
from harness.phrase import spoken, term, told
from harness.report.columns import fill, plain
from harness.routes.model import Route
from harness.runs.catalogue import afind
from harness.runs.ladder import PROMPT, ladder
from harness.runs.remember import spec_of
from harness.runs.settings_check import PROMPT as SETTINGS_PROMPT
from harness.runs.settings_check import check_settings


class Command(Experiment):
    help = "Send the same prompt to every hop of a route, innermost outwards, and name the first bad hop."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("route", metavar="ROUTE[/HOP]", help="a route, or a route cut off at a hop")
        self.add_experiment(parser)
        parser.add_argument(
            "--add", action="append", default=[], metavar="HOP=FILE", help="a recording of a hop out of reach"
        )
        parser.add_argument("--concurrent", action="store_true", help="ask the hops of a round at once, not in turn")

        parser.add_argument(
            "--check-settings", action="store_true",
            help="instead, ask each hop in several ways and tell the ten settings that bite (cache, gzip, n, …)",
        )  # fmt: skip

    async def run(self, **options: Any) -> Outcome:
        route = await afind(options["route"])
        plan = self.plan(options, added=added(options["add"]) if options["add"] else {}, together=options["concurrent"])
        if options["curl"]:
            return self.curls(route, route.hops, plan)
        if options["check_settings"]:
            return await self.settings(route, options)
        earlier = await self.earlier(options)
        return await self.finish("ladder", await ladder(route, plan, tell=self.say), route, plan, options, earlier)

    async def settings(self, route: Route, options: Mapping[str, Any]) -> Outcome:
        """Each hop's ten settings in words."""
        asked = SETTINGS_PROMPT if options["prompt"] == PROMPT else options["prompt"]
        answer, found = await check_settings(route, prompt=asked, tell=self.say)
        marks = {"good": "✓", "info": "·", "warning": "!", "error": "✗", "unknown": "?"}
        width = self._width()
        lines = fill(plain(told(answer.verdict.summary, spoken.get())), width)
        for one in found:
            lines += ["", one.hop]
            for setting in one.settings:
                lines += fill(
                    f"{marks[setting.state]} {setting.name}: {plain(told(term(setting.words), spoken.get()))}",
                    width,
                    "  ",
                )
                fix = told(term(setting.fix), spoken.get()) if setting.state != "good" else ""
                lines += fill(fix, width, "      ") if fix else []
        data = answer.as_json() | {"settings": [one.as_json() for one in found]}
        outcome, spec = Outcome(data, "\n".join(lines) + "\n", code_of(answer)), spec_of(route, {"prompt": asked})
        return await self.stored(outcome, options, "settings", options["route"], (), spec, "\n".join(lines))
