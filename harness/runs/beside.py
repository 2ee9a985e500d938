"""Gateway logs that somebody brings to a stored run: read by a process of their own, and kept with the run's answer.

A log may take seconds to be searched, and pages share one thread with the beginnings of chats; so it waits in a folder
beside the jobs' until a child process (``manage.py job ID --logs``) has read it. The log itself is not kept.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from harness.diagnose.answer import Finding
from harness.errors import InputError, StreamscopeError
from harness.logs.rows import as_json
from harness.models import Run
from harness.runs.gateway_logs import in_memory, look
from harness.runs.store import load_captures

MOST = 24  # excerpts that are kept with a run; the oldest go
STALE_S = 120.0  # after which nobody is reading any more
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Given:
    """A log that was uploaded or pasted. ``hop``: whose it is, "" if nobody said so."""

    name: str
    data: bytes
    hop: str = ""


def keep(run_id: str, given: Sequence[Given], offset_s: float | None = None) -> None:
    """Put logs where :func:`read` finds them. ``offset_s``: by how much their clock is ahead of ours. InputError."""
    for one in given:
        in_memory(one.name, one.data)
    folder = folder_of(run_id)
    index = {"offset_s": offset_s, "logs": [{"name": one.name, "hop": one.hop} for one in given]}
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number, one in enumerate(given):
            (folder / str(number)).write_bytes(one.data)
        (folder / "index.json").write_text(json.dumps(index), encoding="utf-8")
    except OSError as error:
        drop(run_id)
        raise InputError(f"the log cannot be kept: {error.strerror}", str(folder), "Make room there.") from None


def launch(run_id: str) -> None:
    """Have them read by a process of its own, without waiting for it."""
    command = [sys.executable, "manage.py", "job", run_id, "--logs", "--format", "json"]
    child = subprocess.Popen(command, cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def wait() -> None:
        child.wait()
        drop(run_id)

    threading.Thread(target=wait, name=f"logs of {run_id}", daemon=True).start()


def waiting(run_id: str) -> bool:
    """Whether logs are being read."""
    try:
        return time.time() - folder_of(run_id).stat().st_mtime < STALE_S
    except FileNotFoundError:
        return False


def read(run_id: str) -> list[Row]:
    """Search the logs that wait for a run, and keep what they say as ``logs`` of its answer; gives the new ones.

    One that cannot be used is an excerpt without lines, whose note says why. InputError for a run without an answer.
    """
    folder = folder_of(run_id)
    if not (folder / "index.json").is_file():
        return []
    try:
        index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
        answer = Run.objects.filter(pk=run_id).values_list("answer", flat=True).first()
        if answer is None:
            raise InputError(f"run {run_id} has no verdict yet", do="Wait until it has ended.")
        found = _search(run_id, answer, folder, index)
        _add(run_id, found)
        return found
    finally:
        drop(run_id)


def _search(run_id: str, answer: Mapping[str, Any], folder: Path, index: Mapping[str, Any]) -> list[Row]:
    captures = load_captures(run_id)
    findings = [
        Finding(
            row["code"], row["symptom"], row["severity"], row["hop"], "", at_ms=row["at_ms"], repeat=row.get("repeat")
        )
        for row in answer["findings"]
    ]
    rows: list[Row] = []
    for number, told in enumerate(index["logs"]):
        name, hop = told["name"], told["hop"]
        try:
            source = in_memory(name, (folder / str(number)).read_bytes())
            found = as_json(look(source, hop, captures, findings, index["offset_s"]))
            note = "" if found else "no exchange of this run passed there and says when it was"
        except (StreamscopeError, OSError) as error:
            found, note = [], str(error)
        rows += [row for row in found if row["lines"]] or found[:1] or [_nothing(name, hop, note)]
    return rows


def _nothing(name: str, hop: str, note: str) -> Row:
    return {
        "file": name, "format": "", "hop": hop, "repeat": None, "exchange": "", "matched": None, "offset_ms": 0.0,
        "lines": [], "left_out": 0, "note": note,
    }  # fmt: skip


def _add(run_id: str, rows: Sequence[Row]) -> None:
    """A log of the same name takes the place of the one that was there."""
    names = {row["file"] for row in rows}
    with transaction.atomic():
        run = Run.objects.filter(pk=run_id).first()
        if run is not None and run.answer is not None:
            before = [row for row in run.answer.get("logs") or [] if row["file"] not in names]
            run.answer["logs"] = [*before, *rows][-MOST:]
            run.save(update_fields=["answer"])


def drop(run_id: str) -> None:
    shutil.rmtree(folder_of(run_id), ignore_errors=True)


def sweep() -> None:
    """Remove logs that wait for nobody: their server was killed. They lie there as they came, with keys in them."""
    for folder in (Path(settings.DATA_DIR) / "jobs").glob("*.logs"):
        if not waiting(folder.stem):
            shutil.rmtree(folder, ignore_errors=True)


def folder_of(run_id: str) -> Path:
    return Path(settings.DATA_DIR) / "jobs" / f"{run_id}.logs"
