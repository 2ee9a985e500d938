"""``manage.py job ID``: what a page has started; not meant to be called by hand."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from harness.diagnose.answer import Answer
from harness.management.base import ScopeCommand
from harness.runs.jobs import work


class Command(ScopeCommand):
    help = "Do a job that a page has started, and store what came of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", metavar="ID", help="the run's id")

    async def run(self, **options: Any) -> Answer | None:
        result = await work(options["run"], self.say)
        return result.answer if result else None
