"""``manage.py idle ROUTE``: how long the line may be silent."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from harness.errors import InputError
from harness.management.base import Outcome, ScopeCommand, code_of
from harness.runs.catalogue import afind
from harness.runs.idle import Limit, idle


class Command(ScopeCommand):
    help = "With the lab as a route's engine: how long each hop lets the line be silent, and which timer it looks like."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("route", metavar="ROUTE[/HOP]", help="a route whose engine is the lab")
        parser.add_argument(
            "--up-to", type=float, default=65.0, metavar="S", help="longest silence tried (default 65 s)"
        )

    async def run(self, **options: Any) -> Outcome:
        if not 0.5 <= options["up_to"] <= 3600:
            raise InputError(f"--up-to is {options['up_to']:g}", do="Use 0.5 to 3600 seconds.")
        answer, limits = await idle(await afind(options["route"]), up_to=options["up_to"], tell=self.say)
        data = answer.as_json() | {"limits": [limit.as_json() for limit in limits]}
        return Outcome(data, table(limits) + "\n\n" + answer.verdict.summary, code_of(answer))


def table(limits: list[Limit]) -> str:
    """One line a limit, the shortest marked."""
    shortest = min((limit.seconds for limit in limits if limit.seconds is not None), default=None)
    marks = ["→ " if limit.seconds is not None and limit.seconds == shortest else "  " for limit in limits]
    return "\n".join(f"{mark}{limit}" for mark, limit in zip(marks, limits, strict=True))
