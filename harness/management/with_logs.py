"""Commands that show what a gateway's log says of the exchanges that they judge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import sleep
from typing import Any

from django.core.management.base import CommandParser

from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.errors import InputError
from harness.logs.rows import as_json
from harness.management.base import Outcome, ScopeCommand, code_of
from harness.probe.recording import split_hop
from harness.report.log_lines import as_text
from harness.runs.gateway_logs import excerpts, open_log

FLUSH_S = 0.3  # a gateway writes its line after the answer's last byte


class WithLogs(ScopeCommand):
    """Adds ``--log [HOP=]FILE`` and ``--log-offset S``; ``logs`` then stands beside ``verdict`` in the JSON."""

    diagnoses = True

    def add_logs(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--log", action="append", default=[], metavar="[HOP=]FILE", help="show what this gateway log says of it"
        )
        parser.add_argument(
            "--log-offset", type=float, metavar="S", help="seconds by which the log's clock is ahead of ours"
        )

    def logs(self, options: Mapping[str, Any]) -> list[tuple[str, Path]]:
        """The logs that were named, each one readable; asked before anything is sent. Raises InputError."""
        offset = options.get("log_offset")
        if offset is not None and not math.isfinite(offset):
            raise InputError(f"--log-offset is {offset}", do="Use a number of seconds.")
        found = [split_hop(word) for word in options.get("log") or ()]
        for _, path in found:
            with open_log(path):
                pass
        return found

    def beside_logs(
        self, answer: Answer, captures: Sequence[Capture], options: Mapping[str, Any], *, fresh: bool = False
    ) -> Answer | Outcome:
        """The answer, with what the logs say where any are named. ``fresh``: the exchanges have just ended."""
        logs = self.logs(options)
        if not logs:
            return answer
        if fresh:
            sleep(FLUSH_S)
        found = excerpts(logs, captures, answer, options.get("log_offset"))
        text = self._picture(answer) + as_text(found)
        return Outcome(answer.as_json() | {"logs": as_json(found)}, text, code_of(answer))
