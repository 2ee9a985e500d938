"""What an experiment hands back, whoever asked for it: a command, a page, a test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.capture.format import dumps
from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.errors import InputError
from harness.phrase import phrase, term

Tell = Callable[[str], None]
"""Takes one line of progress for people."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """``captures`` are what ``answer`` judges. ``rounds``: how many were made (more than kept with until-fault).

    ``records``: what the engine itself wrote (tap ``emit``) in these exchanges, where it tells; the verdict knows it.
    ``interrupted``: it was cancelled, and these are the rounds that had ended (of the only one, its hops).
    """

    captures: tuple[Capture, ...]
    answer: Answer
    rounds: int = 1
    records: tuple[Capture, ...] = ()
    interrupted: bool = False


def save(captures: tuple[Capture, ...], directory: Path) -> list[Path]:
    """Write ``HOP.TAP[.REPEAT].capture.jsonl`` files; raises InputError where that cannot be."""
    files = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for capture in captures:
            number = "" if capture.repeat is None else f".{capture.repeat}"
            name = "".join(c if c.isalnum() or c in "-_." else "_" for c in capture.hop)
            file, more = directory / f"{name}.{capture.tap}{number}.capture.jsonl", 2
            while file in files:  # the engine has a record of each exchange of a round
                file, more = directory / f"{name}.{capture.tap}-{more}{number}.capture.jsonl", more + 1
            files.append(file)
            files[-1].write_bytes(dumps(capture))
    except OSError as error:
        what = f"the captures cannot be written: {error.strerror}"
        raise InputError(what, str(error.filename or directory), "Name a directory that can be written.") from None
    return files


def outline(capture: Capture) -> str:
    """One line of progress: how an exchange ended, how much came, and how long it took."""
    status = phrase("HTTP {status}, ", status=capture.head.status) if capture.head else ""
    end = capture.end
    kind = term(end.kind if end else "open")
    how = phrase("{end} ({detail})", end=kind, detail=term(end.detail)) if end and end.detail else kind
    size = capture.ends[-1] if capture.ends else 0
    figures = {"hop": capture.hop, "status": status, "end": how, "size": size, "reads": len(capture.times)}
    seconds = f"{end.t / 1000 if end else 0.0:.2f}"
    return phrase("{hop}: {status}{end}, {size} bytes in {reads} reads, {seconds} s", **figures, seconds=seconds)
