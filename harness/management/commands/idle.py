"""``manage.py idle ROUTE``: how long the line may be silent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from harness.errors import InputError
from harness.lint.product import product_of
from harness.management.base import Outcome, code_of
from harness.management.stored import Stored
from harness.phrase import say, spoken, term, told
from harness.probe.nginx_file import read_nginx
from harness.probe.recording import read_file, split_hop
from harness.report.columns import table as table_of
from harness.routes.model import Route
from harness.runs.catalogue import afind
from harness.runs.idle import Limit, idle, limits_of
from harness.runs.inventory import Row, line_rows, nginx_rows
from harness.runs.remember import spec_of

TITLES = ("kind", "setting", "value", "counts", "known from")
CONFIG_LIMIT = 8 * 1024 * 1024


class Command(Stored):
    diagnoses = True
    help = "With the lab as a route's engine: how long each hop lets the line be silent, and which timer it looks like."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("route", metavar="ROUTE[/HOP]", help="a route whose engine is the lab")
        parser.add_argument(
            "--up-to", type=float, default=65.0, metavar="S", help="longest silence tried (default 65 s)"
        )

        parser.add_argument(
            "--config", action="append", default=[], metavar="[HOP=]FILE",
            help="a proxy's configuration, for the table of limits (HOP default: the outermost proxy)",
        )  # fmt: skip
        self.add_store(parser)

    async def run(self, **options: Any) -> Outcome:
        if not 0.5 <= options["up_to"] <= 3600:
            raise InputError(f"--up-to is {options['up_to']:g}", do="Use 0.5 to 3600 seconds.")
        route = await afind(options["route"])
        configured = [row for word in options["config"] for row in self._configured(route, word)]
        answer, limits = await idle(route, up_to=options["up_to"], tell=self.say)
        rows = limits_of(route, limits, configured)
        data = answer.as_json() | {"limits": [x.as_json() for x in limits], "inventory": [x.as_json() for x in rows]}
        text = [table(limits), "", told(answer.verdict.summary, spoken.get()), "", inventory_table(rows)]
        outcome, spec = Outcome(data, "\n".join(text), code_of(answer)), spec_of(route, {"up_to": options["up_to"]})
        return await self.stored(outcome, options, "idle", options["route"], (), spec, outcome.text)

    def _configured(self, route: Route, word: str) -> list[Row]:
        """The limits that one ``[HOP=]FILE`` sets, read before anything is sent. Raises InputError."""
        hop, path = split_hop(word)
        names = [h.name for h in route.hops]
        if hop and hop not in names:
            raise InputError(f"route {route.name} has no hop {hop!r}", "--config", f"Its hops are: {', '.join(names)}.")
        fronts = [h.name for h in route.hops if h.kind == "proxy"] or names
        text = read_file(path, CONFIG_LIMIT).decode("utf-8", "replace")
        product = product_of(text)
        if product == "nginx":
            parsed, notes = read_nginx(path)
            for note in notes:
                self.say(f"{path}: {note}")
            return nginx_rows(parsed, hop or fronts[-1], str(path))
        return line_rows(text, hop or fronts[-1], str(path), "ms" if product == "HAProxy" else "s")


def table(limits: list[Limit]) -> str:
    """One line a limit, the shortest marked."""
    shortest = min((limit.seconds for limit in limits if limit.seconds is not None), default=None)
    marks = ["→ " if limit.seconds is not None and limit.seconds == shortest else "  " for limit in limits]
    return "\n".join(f"{mark}{limit}" for mark, limit in zip(marks, limits, strict=True))


def inventory_table(rows: Sequence[Row]) -> str:
    """One line a limit, hop by hop; the shortest timeout is marked."""
    cells = [
        [("→ " if row.shortest else "  ") + row.hop]
        + [told(term(cell), spoken.get()) for cell in (row.sort, row.setting, row.value, row.counts, row.source)]
        for row in rows
    ]
    return "\n".join(table_of(["  " + say("hop"), *(told(term(name), spoken.get()) for name in TITLES)], cells, left=6))
