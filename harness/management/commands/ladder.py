"""``manage.py ladder ROUTE``: every hop, innermost outwards, and the first bad one."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from harness.management.base import Outcome
from harness.management.experiment import Experiment, added, curls
from harness.runs.catalogue import afind
from harness.runs.ladder import ladder


class Command(Experiment):
    help = "Send the same prompt to every hop of a route, innermost outwards, and name the first bad hop."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("route", metavar="ROUTE[/HOP]", help="a route, or a route cut off at a hop")
        self.add_experiment(parser)
        parser.add_argument(
            "--add", action="append", default=[], metavar="HOP=FILE", help="a recording of a hop out of reach"
        )
        parser.add_argument("--concurrent", action="store_true", help="ask the hops of a round at once, not in turn")

    async def run(self, **options: Any) -> Outcome:
        route = await afind(options["route"])
        plan = self.plan(options, added=added(options["add"]) if options["add"] else {}, together=options["concurrent"])
        if options["curl"]:
            lines = curls(route, route.hops, plan)
            return Outcome(lines, "\n".join(lines.values()))
        earlier = await self.earlier(options)
        return self.finish(await ladder(route, plan, tell=self.say), route, plan, options, earlier)
