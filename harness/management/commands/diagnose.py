"""``diagnose [HOP=]FILE…``: judge recorded captures, innermost first. Touches no database."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from harness.capture.bundle import check_shared
from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.diagnose.run import diagnose
from harness.errors import InputError
from harness.management.base import Outcome
from harness.management.with_logs import WithLogs
from harness.probe.recording import read_recording, split_hop


class Command(WithLogs):
    help = "Judge captures (innermost hop first): which hop first delays, clumps, loses, cuts or resets the stream."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            metavar="[HOP=]FILE",
            help="capture, curl trace, HAR, saved body, …; innermost first; - is stdin",
        )
        parser.add_argument(
            "--consumers", action="store_true", help="also say what common clients would lose or garble"
        )
        parser.add_argument("--entry", type=int, metavar="N", help="judge exchange N of the file alone, counted from 0")
        self.add_logs(parser)

    def run(self, **options: Any) -> Answer | Outcome:
        files, entry = options["files"], options["entry"]
        if entry is not None and len(files) > 1:
            what = "--entry picks an exchange of one file, but several files are given"
            raise InputError(what, do="Take it out of each with `convert FILE --to capture --entry N`")
        captures = [capture for argument in files for capture in read(argument, entry)]
        check_shared(captures)
        return self.beside_logs(diagnose(captures, consumers=options["consumers"]), captures, options)


def read(argument: str, entry: int | None = None) -> list[Capture]:
    """The captures of one ``[HOP=]FILE``; a hop that is named takes the place of the one that the file names."""
    hop, path = split_hop(argument)
    return read_recording(path, hop, entry)
