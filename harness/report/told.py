"""A stored run as a report tells it."""

from __future__ import annotations

from pathlib import Path

from django.db import connection
from django.db.utils import OperationalError

from harness.errors import InputError
from harness.models import Run
from harness.phrase import spoken
from harness.report.html import Told
from harness.report.retold import retold
from harness.runs.store import load_captures


def told(run_id: str) -> Told:
    """The run of that id, in the language that is spoken. Raises InputError where there is none, or no answer."""
    try:
        run = Run.objects.filter(pk=run_id).first()
    except OperationalError as error:  # none there yet is none of that name; one that cannot be read is told
        if "no such table" not in str(error) and Path(connection.settings_dict["NAME"]).exists():
            raise
        run = None
    if run is None:
        raise InputError(f"there is no run {run_id!r}, and no file or folder of that name", do="See /runs/ for ids.")
    if run.answer is None:
        raise InputError(f"run {run_id!r} has no answer yet", do="Wait until it has ended.")
    captures = load_captures(run_id)
    answer = retold(run.answer, captures, spoken.get())
    return Told(run_id, captures, answer, run.kind, run.route, f"{run.started:%Y-%m-%d %H:%M:%S} UTC")
