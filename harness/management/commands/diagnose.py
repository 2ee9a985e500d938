"""``diagnose [HOP=]FILE…``: judge recorded captures, innermost first. Touches no database."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.capture.format import check_size
from harness.capture.model import Capture, kind_of
from harness.capture.sniff import load_any
from harness.diagnose.answer import Answer
from harness.diagnose.run import diagnose
from harness.errors import CaptureError
from harness.management.base import ScopeCommand


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
    hop, equals, name = argument.partition("=")
    if not equals or Path(argument).exists():
        hop, name = "", argument
    path = Path(name)
    try:
        check_size(path.stat().st_size, name)
        data = path.read_bytes()
    except OSError as error:
        raise CaptureError(
            f"cannot be read ({error.strerror or error})", name, "Name an existing capture file."
        ) from error
    captures = load_any(data, path.name)
    if not hop:
        return captures
    return [replace(capture, hop=hop, kind=kind_of(hop)) for capture in captures]
