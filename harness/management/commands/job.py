"""``manage.py job ID``: what a page has started; not meant to be called by hand."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from harness.diagnose.answer import Answer
from harness.management.base import ScopeCommand
from harness.runs import beside
from harness.runs.jobs import work
from harness.runs.judge import off_loop


class Command(ScopeCommand):
    help = "Do a job that a page has started, and store what came of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", metavar="ID", help="the run's id")
        parser.add_argument("--logs", action="store_true", help="only search the logs that were brought for it")

    async def run(self, **options: Any) -> Answer | None:
        if options["logs"]:
            await off_loop(beside.read, options["run"])
            return None
        result = await work(options["run"], self.say)
        return result.answer if result else None
