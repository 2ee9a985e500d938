"""``routes``: load, dump, list and check the ways to a model."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from harness.errors import InputError
from harness.management.base import Outcome, ScopeCommand
from harness.probe.recording import read_file
from harness.report.columns import plain, table
from harness.routes.catalogue import resolve
from harness.routes.model import Hop, Route
from harness.routes.spec import spec_of
from harness.routes.toml import dump, parse
from harness.runs.catalogue import all_routes, store_routes
from harness.runs.check import HopCheck, check

MOST_BYTES = 8 * 1024 * 1024  # of a routes file
FALLBACK = ("lab-steady", "lab-passthrough")


class Command(ScopeCommand):
    help = "Load routes from a TOML file, dump, list or check them."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="load|dump|list|check")
        load = verbs.add_parser("load", help="store the routes of a file; they win over stored ones by name")
        load.add_argument("file", help="a TOML file with [[route]] tables, - for standard input")
        dumping = verbs.add_parser("dump", help="write the stored routes as TOML")
        dumping.add_argument("--all", action="store_true", help="also those of the environment and the lab")
        verbs.add_parser("list", help="every route in order")
        checking = verbs.add_parser("check", help="ask every hop: reachable, key taken, model known, streams")
        checking.add_argument("route", nargs="*", help="ROUTE or ROUTE/HOP (default: all that are not the lab's)")

    def run(self, verb: str, **options: Any) -> Any:
        verbs: dict[str, Callable[..., Any]] = {
            "load": self._load, "dump": self._dump, "list": self._list, "check": self._check,
        }  # fmt: skip
        return verbs[verb](argparse.Namespace(**options))

    def _load(self, options: argparse.Namespace) -> Outcome:
        routes = parse(*read(options.file))
        if not routes:
            raise InputError("no [[route]] in it", options.file, "See `routes dump --all` for what a route looks like.")
        stored = store_routes(routes)
        origins = {route.name: route.origin for route in all_routes()}
        for name in stored:
            if origins.get(name) in ("env", "lab"):
                self.say(f"{name}: stored, but the route of that name from the {origins[name]} is used instead.")
        return Outcome({"loaded": stored}, f"Loaded {len(stored)}: {', '.join(map(plain, stored))}")

    def _dump(self, options: argparse.Namespace) -> Outcome:
        routes = [route for route in all_routes() if options.all or route.origin in ("file", "page")]
        return Outcome({"route": [spec_of(route) for route in routes]}, dump(routes).rstrip("\n"))

    def _list(self, options: argparse.Namespace) -> Outcome:
        routes = all_routes()
        rows = [
            (plain(r.name), r.origin, plain(r.model) or "–", " → ".join(plain(h.name) for h in r.hops)) for r in routes
        ]
        text = "\n".join(table(("route", "from", "model", "hops, engine first"), rows, left=4))
        return Outcome({"routes": [row(route) for route in routes]}, text)

    async def _check(self, options: argparse.Namespace) -> Outcome:
        from harness.runs.catalogue import aall_routes

        known = await aall_routes()
        routes = [resolve(name, known) for name in options.route] or [r for r in known if r.origin != "lab"]
        if not routes:
            self.say("No routes are configured, so the lab's are checked.")
            routes = [resolve(name, known) for name in FALLBACK]
        checks: list[HopCheck] = []
        for route in routes:
            self.say(f"checking {route.name} …")
            checks += await check(route)
        code = 0 if all(c.good for c in checks) else 1 if any(c.reachable for c in checks) else 2
        return Outcome({"checks": [c.as_json() for c in checks]}, picture(checks), code)


def read(file: str) -> tuple[str, str]:
    """A file's text and its name; ``-`` is standard input."""
    name = "standard input" if file == "-" else file
    try:
        return read_file(Path(file), MOST_BYTES).decode("utf-8"), name
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 (byte {error.start})", name, "Save it as UTF-8.") from None


def row(route: Route) -> dict[str, Any]:
    """A route with its origin and whether each hop's key is there."""
    hops = [{**hop, "key": key_state(h)} for hop, h in zip(spec_of(route)["hop"], route.hops, strict=True)]
    return {**spec_of(route), "origin": route.origin, "hop": hops}


def key_state(hop: Hop) -> str:
    """``none`` is needed, or the variable is ``set`` or ``missing``."""
    if not hop.api_key_env:
        return "none"
    return "set" if os.environ.get(hop.api_key_env) else "missing"


def picture(checks: list[HopCheck]) -> str:
    words = {True: "yes", False: "NO", None: "–"}
    rows = [
        (
            plain(f"{c.route}/{c.hop}"),
            *(words[fact] for fact in (c.reachable, c.auth, c.model, c.streams)),
            plain(c.detail),
        )
        for c in checks
    ]
    return "\n".join(table(("hop", "reachable", "key", "model", "streams", ""), rows, left=6))
