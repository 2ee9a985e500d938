"""``manage.py tap``: stand in the line, hand on untouched, record every exchange."""

from __future__ import annotations

import asyncio
import gc
import json
import signal
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.management.base import CommandParser

from harness.capture.mask import mask_url
from harness.capture.model import KINDS
from harness.errors import InputError
from harness.management.base import Outcome, ScopeCommand
from harness.phrase import say, spoken, told
from harness.probe.tap import Tap
from harness.runs.tap_board import Board
from harness.runs.tap_runs import TapRuns
from harness.runs.tapped import MOST_BYTES, Kept, Row
from harness.runs.tapping import tapping

MIB = 1024 * 1024


class Command(ScopeCommand):
    help = "Forward untouched and record every exchange: point a gateway's base URL at it. Ctrl-C ends it."
    diagnoses = True

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
            "--kind",
            default="",
            choices=["", *KINDS],
            metavar="KIND",
            help=f"its kind: {', '.join(KINDS)} (default: the hop's name, else engine)",
        )
        parser.add_argument(
            "--save", type=Path, metavar="DIR", help="where captures go (default tap/PORT/ in the data directory)"
        )
        parser.add_argument("--keep", type=int, default=200, metavar="N", help="exchanges that are kept (default 200)")
        parser.add_argument(
            "--keep-mb", type=int, default=MOST_BYTES // MIB, metavar="N",
            help=f"MiB of capture files that are kept (default {MOST_BYTES // MIB})",
        )  # fmt: skip
        parser.add_argument(
            "--count", type=int, default=0, metavar="N", help="end after so many exchanges (default: never)"
        )
        parser.add_argument(
            "--lines", action="store_true",
            help="with --format json: a line an exchange as they come, instead of one document at the end",
        )  # fmt: skip

    async def run(self, **options: Any) -> Outcome:
        listen = address(options["listen"])
        for name, unit in (("keep", "exchange"), ("keep_mb", "MiB")):
            if options[name] < 1:
                raise InputError(f"--{name.replace('_', '-')} is {options[name]}", do=f"Keep at least one {unit}.")
        kind = options["kind"] or (options["hop"] if options["hop"] in KINDS else "engine")
        over = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, over.set)
        tap = Tap(options["upstream"], lambda captures: None, hop=options["hop"], kind=kind)
        upstream = mask_url(tap.upstream)
        runs = await sync_to_async(TapRuns)(upstream, options["keep"])

        def begin(host: str, port: int) -> tuple[Kept, Board]:
            where = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
            directory = options["save"] or Path(settings.DATA_DIR) / "tap" / str(port)
            kept = Kept(directory, options["keep"], self.say, runs, options["keep_mb"] * MIB)
            at = {"upstream": upstream, "address": where, "directory": directory}
            self.say(
                say("Tapping {upstream} on {address}; captures go to {directory}, and to /taps/. Ctrl-C ends.", **at)
            )
            return kept, Board(listen=where, upstream=upstream, hop=options["hop"])

        gc.collect()
        gc.freeze()  # a full collection over all that is loaded would stop the streams
        sys.setswitchinterval(0.0001)  # an event that passes waits no longer for the thread that judges another
        lines = self.as_json and options["lines"]
        each = self._line if lines else lambda row: None
        kept = await tapping(tap, listen, begin, over, count=options["count"], tell=self.say, each=each)
        bad = sum(row["healthy"] is False for row in kept.rows)
        counted = {"count": kept.count, "bad": bad, "kept": len(kept.rows), "directory": kept.directory}
        text = say("{count} exchanges, {bad} with faults among the {kept} kept in {directory}", **counted)
        figures = {"exchanges": kept.count, "faults": kept.bad, "bytes": kept.bytes}
        if lines:
            self.as_json, text = False, json.dumps(figures)
        return Outcome(figures | {"kept": list(kept.rows)}, text, 1 if bad else 0)

    def _line(self, row: Row) -> None:
        self._print(json.dumps(told(row, spoken.get()), ensure_ascii=False))


def address(text: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{text}")
        if parts.hostname and parts.port is not None:
            return parts.hostname, parts.port
    except ValueError:
        pass
    raise InputError(f"{text!r} is not an address", "--listen", "Write it as 127.0.0.1:9000.")
