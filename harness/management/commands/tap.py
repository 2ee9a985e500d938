"""``manage.py tap``: stand in the line, hand on untouched, record every exchange."""

from __future__ import annotations

import asyncio
import signal
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.management.base import CommandParser
from django.db import connections

from harness.capture.mask import mask_url
from harness.capture.model import KINDS
from harness.errors import InputError
from harness.management.base import Outcome, ScopeCommand
from harness.phrase import say
from harness.probe.tap import Tap, listening
from harness.runs.tap_runs import TapRuns
from harness.runs.tapped import Kept

LOOK_S = 1.0  # seconds between two looks for chats that have been stored


class Command(ScopeCommand):
    diagnoses = True
    help = "Forward untouched and record every exchange: point a gateway's base URL at it. Ctrl-C ends it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--listen", default="127.0.0.1:9000", metavar="ADDR", help="host:port (default 127.0.0.1:9000)"
        )
        parser.add_argument(
            "--upstream", required=True, metavar="URL", help="where to forward to, e.g. http://gpu-1:8000"
        )
        parser.add_argument(
            "--hop", default="engine", help="what the upstream is called in the captures (default engine)"
        )
        parser.add_argument(
            "--kind", default="", choices=["", *KINDS], help="its kind (default: the hop's name, else engine)"
        )
        parser.add_argument(
            "--save", type=Path, metavar="DIR", help="where captures go (default tap/ in the data directory)"
        )
        parser.add_argument("--keep", type=int, default=200, metavar="N", help="exchanges that are kept (default 200)")
        parser.add_argument(
            "--count", type=int, default=0, metavar="N", help="end after so many exchanges (default: never)"
        )

    async def run(self, **options: Any) -> Outcome:
        host, port = address(options["listen"])
        if options["keep"] < 1:
            raise InputError(f"--keep is {options['keep']}", do="Keep at least one exchange.")
        kind = options["kind"] or (options["hop"] if options["hop"] in KINDS else "engine")
        loop, over, context = asyncio.get_running_loop(), asyncio.Event(), copy_context()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, over.set)
        with ThreadPoolExecutor(1, "tap") as disk:

            def done(captures: Any) -> None:
                loop.call_soon_threadsafe(disk.submit, context.run, one, captures)

            def settle() -> None:
                for chat in runs.settle():
                    self.say(say("joined to the chat /runs/{chat}/", chat=chat))

            def later() -> None:
                disk.submit(context.run, settle)
                timer[0] = loop.call_later(LOOK_S, later)

            def one(captures: Any) -> None:
                kept.take(captures)
                if kept.count == options["count"]:
                    loop.call_soon_threadsafe(over.set)

            tap = Tap(options["upstream"], done, hop=options["hop"], kind=kind)
            runs = await sync_to_async(TapRuns)(mask_url(tap.upstream), options["keep"])
            kept = Kept(options["save"] or Path(settings.DATA_DIR) / "tap", options["keep"], self.say, runs)
            async with listening(tap, host, port) as (where, bound):
                at = {"upstream": tap.upstream, "address": f"http://{where}:{bound}", "directory": kept.directory}
                self.say(say("Tapping {upstream} on {address}; captures go to {directory}. Ctrl-C ends.", **at))
                timer = [loop.call_later(LOOK_S, later)]
                try:
                    await over.wait()
                finally:
                    timer[0].cancel()
            disk.submit(context.run, settle)
            disk.submit(connections.close_all)
        bad = sum(row["healthy"] is False for row in kept.rows)
        counted = {"count": kept.count, "bad": bad, "kept": len(kept.rows), "directory": kept.directory}
        text = say("{count} exchanges, {bad} with faults among the {kept} kept in {directory}", **counted)
        return Outcome({"exchanges": kept.count, "kept": list(kept.rows)}, text, 1 if bad else 0)


def address(text: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{text}")
        if parts.hostname and parts.port is not None:
            return parts.hostname, parts.port
    except ValueError:
        pass
    raise InputError(f"{text!r} is not an address", "--listen", "Write it as 127.0.0.1:9000.")
