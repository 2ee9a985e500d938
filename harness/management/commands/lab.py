"""``manage.py lab``: the lab alone."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from harness.lab.server import serve
from harness.management.base import ScopeCommand


class Command(ScopeCommand):
    help = "Run the lab alone: a known-good source, a library of faults, and faulty gateways. Ctrl-C ends it."

    def add_arguments(self, parser: CommandParser) -> None:
        port = getattr(settings, "LAB_PORT", 8100)
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=port, help=f"port (default {port}, LAB_PORT; 0: a free one)")
        parser.add_argument("--upstream", default="", help="what the gateways stand in front of (default: the lab)")

    async def run(self, **options: Any) -> None:
        await serve(options["host"], options["port"], ready=self._ready, upstream=options["upstream"])

    def _ready(self, base: str) -> None:
        self.say(f"The lab listens on {base}; models: {base}/v1/models, everything: {base}/catalogue")
