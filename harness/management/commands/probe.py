"""``manage.py probe ROUTE[/HOP]``: one hop, asked alone."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from harness.management.base import Outcome
from harness.management.experiment import Experiment
from harness.runs.catalogue import afind
from harness.runs.ladder import probe_hop


class Command(Experiment):
    help = "Send a prompt to one hop of a route, stamp every read of the answer, and say what is wrong with it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("route", metavar="ROUTE[/HOP]", help="a route, or a route cut off at a hop")
        self.add_experiment(parser)

    async def run(self, **options: Any) -> Outcome:
        route, plan = await afind(options["route"]), self.plan(options)
        if options["curl"]:
            return self.curls(route, [route.outermost], plan)
        earlier = await self.earlier(options)
        return await self.finish("probe", await probe_hop(route, plan, tell=self.say), route, plan, options, earlier)
