"""``diagnose [HOP=]FILE…``: judge recorded captures, innermost first. Touches no database."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.diagnose.run import diagnose
from harness.management.base import ScopeCommand
from harness.probe.recording import read_recording, split_hop


class Command(ScopeCommand):
    help = "Judge captures (innermost hop first): which hop first delays, clumps, loses, cuts or resets the stream."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files", nargs="+", metavar="[HOP=]FILE", help="capture, curl trace, HAR, …; innermost first"
        )
        parser.add_argument(
            "--consumers", action="store_true", help="also say what common clients would lose or garble"
        )

    def run(self, **options: Any) -> Answer:
        captures = [capture for argument in options["files"] for capture in read(argument)]
        return diagnose(captures, consumers=options["consumers"])


def read(argument: str) -> list[Capture]:
    """The captures of one ``[HOP=]FILE``; a hop that is named takes the place of the one that the file names."""
    hop, path = split_hop(argument)
    return read_recording(path, hop)
