"""``report RUN [RUN] --to FILE``: runs as one offline HTML file, verdict first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from harness.capture.bundle import resolve_shared
from harness.diagnose.run import diagnose
from harness.errors import InputError
from harness.management.base import Outcome, ScopeCommand
from harness.phrase import say, spoken
from harness.probe.recording import read_recording
from harness.report.html import Told, headline, page
from harness.report.told import told


class Command(ScopeCommand):
    diagnoses = True
    help = "Write runs as one offline HTML file: verdict first, timelines under one another, findings, fixes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", nargs="+", metavar="RUN", help="a run's id, or a folder or file of captures")
        parser.add_argument("--to", required=True, metavar="FILE", help="the HTML file to write")

    def run(self, run: list[str], to: str, **options: Any) -> Outcome:
        found = [_from_files(Path(name)) if Path(name).exists() else told(name) for name in run]
        target = Path(to)
        try:
            target.write_text(page(found), encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write the report: {error.strerror}", str(target)) from None
        rows = [{"run": one.name, "verdict": dict(one.answer["verdict"])} for one in found]
        lines = [f"{one.name}: {headline(one.answer['verdict'])}" for one in found]
        return Outcome(
            {"file": str(target), "runs": rows}, "\n".join([*lines, say("written to {file}", file=target)]) + "\n"
        )


def _from_files(path: Path) -> Told:
    """A folder's capture files in the order of their names (innermost first), or one file's."""
    files = sorted(path.glob("*.capture.jsonl")) if path.is_dir() else [path]
    if not files:
        raise InputError("no *.capture.jsonl in that folder", str(path))
    captures = []
    for file in files:
        captures += read_recording(file)
    captures = resolve_shared(captures)
    return Told(path.name, captures, diagnose(captures).told(spoken.get()).as_json(), "captures")
