"""``manage.py convert FILE… --to FORMAT``: recordings in, other tools' formats out. Touches no database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from harness.capture.bundle import check_shared
from harness.capture.format import dumps
from harness.capture.model import Capture
from harness.errors import InputError
from harness.management.base import Outcome, ScopeCommand
from harness.probe.recording import read_recording, split_hop
from harness.report.csv_table import to_csv
from harness.report.har import to_har
from harness.report.perfetto import to_perfetto

WRITERS: dict[str, Callable[[Sequence[Capture]], bytes]] = {"har": to_har, "perfetto": to_perfetto, "csv": to_csv}


class Command(ScopeCommand):
    help = (
        "Read a capture file, a curl trace, a HAR, a saved body or a packet capture (told by content), and write it "
        "as a capture, a HAR, a trace for ui.perfetto.dev, or CSV."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="[HOP=]FILE", help="innermost first, where there are several")
        parser.add_argument("--to", required=True, choices=("capture", *WRITERS))
        parser.add_argument("--hop", default="", help="name of the hop (default: what the file says, else its stem)")
        parser.add_argument("--entry", type=int, metavar="N", help="take exchange N alone, counted from 0")
        parser.add_argument(
            "-o", "--output", metavar="F", type=Path, help="write to file F; for several captures, to folder F"
        )

    def run(self, **options: Any) -> Outcome:
        files, to, output = options["files"], options["to"], options["output"]
        if options["hop"] and len(files) > 1:
            raise InputError("--hop names one hop, but several files are given", do="Write HOP=FILE for each")
        captures: list[Capture] = []
        for argument in files:
            hop, path = split_hop(argument)
            captures += read_recording(path, options["hop"] or hop, options["entry"])
        check_shared(captures)
        if to != "capture":
            return self._one(WRITERS[to](captures), to, output, captures)
        if len(captures) == 1 and not (output and output.is_dir()):
            return self._one(dumps(captures[0]), to, output, captures)
        if output is None:
            what = f"{len(captures)} exchanges are in it, and a capture file holds one"
            raise InputError(what, ", ".join(files), "Choose one with --entry N, or write them to a folder with -o")
        return self._folder(captures, output)

    def _one(self, data: bytes, to: str, output: Path | None, captures: Sequence[Capture]) -> Outcome:
        if output is None:
            text = data.decode("utf-8")
            return Outcome({"to": to, "hops": [c.hop for c in captures], "content": text}, text)
        write(output, data)
        return _written([output], [data], captures)

    def _folder(self, captures: Sequence[Capture], folder: Path) -> Outcome:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder: {error.strerror}", str(folder)) from None
        paths, written = [], []
        for index, capture in enumerate(captures, 1):
            name = "".join(c if c.isalnum() or c in "-_." else "_" for c in capture.hop)[:80]
            paths.append(folder / f"{index}-{name}.capture.jsonl")
            written.append(dumps(capture))
            write(paths[-1], written[-1])
        return _written(paths, written, captures)


def write(path: Path, data: bytes) -> None:
    """Write a file. Raises InputError with the system's reason."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", str(path), "Name another file with -o") from None


def _written(paths: Sequence[Path], data: Sequence[bytes], captures: Sequence[Capture]) -> Outcome:
    files = [{"path": str(path), "bytes": len(content)} for path, content in zip(paths, data, strict=True)]
    text = "\n".join(f"{file['path']}: {file['bytes']:,} bytes" for file in files)
    return Outcome({"files": files, "hops": [capture.hop for capture in captures]}, text)
