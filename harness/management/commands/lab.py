"""``manage.py lab``: the lab alone."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from harness.errors import InputError
from harness.lab.confusion import table, text
from harness.lab.replay import replays
from harness.lab.scenarios import built_in, load
from harness.lab.server import serve, settle
from harness.management.base import Outcome, ScopeCommand
from harness.probe.recording import read_file

MOST_BYTES = 8 * 1024 * 1024  # of a file of scenarios


class Command(ScopeCommand):
    help = "Run the lab alone: a known-good source, a library of faults, and faulty gateways. Ctrl-C ends it."

    def add_arguments(self, parser: CommandParser) -> None:
        port = settings.LAB_PORT
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=port, help=f"port (default {port}, LAB_PORT; 0: a free one)")
        parser.add_argument("--upstream", default="", help="what the gateways stand in front of (default: the lab)")
        parser.add_argument("--scenarios", action="append", default=[], metavar="FILE", help="more models, as TOML")
        parser.add_argument(
            "--replay", action="append", default=[], metavar="FILE",
            help="a capture, curl trace or HAR as the model (and gateway) replay-NAME",
        )  # fmt: skip
        parser.add_argument(
            "--table", action="store_true", help="print what the diagnosis says of every fault, and end"
        )
        parser.add_argument("--scale", type=float, default=1.0, help="multiply a replay's times (0.5: twice as fast)")

    async def run(self, **options: Any) -> Outcome | None:
        if options["table"]:
            rows = list(table())
            return Outcome([asdict(row) for row in rows], text(rows))
        if not 0 <= options["port"] <= 65535:
            raise InputError("is no port", f"--port {options['port']}", "Give a number from 0 to 65535.")
        if not 0 <= options["scale"] <= 1000:
            raise InputError("is out of bounds", f"--scale {options['scale']}", "Give a number from 0 to 1000.")
        scenarios = dict(built_in())
        for name in options["scenarios"]:
            scenarios |= load(_text(name), name)
        played = replays(options["replay"], options["scale"])
        for name in played:
            self.say(f"{name}: ask for it as a model, or put /via/{name}/v1 where a gateway's base URL points")
        await serve(
            options["host"], options["port"],
            ready=self._ready, upstream=options["upstream"], scenarios={**scenarios, **played},
        )  # fmt: skip
        return None

    def _ready(self, base: str) -> None:
        settle()
        self.say(f"The lab listens on {base}; models: {base}/v1/models, everything: {base}/catalogue")


def _text(name: str) -> str:
    try:
        return read_file(Path(name), MOST_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 (byte {error.start})", name, "Name a TOML file of scenarios.") from None
