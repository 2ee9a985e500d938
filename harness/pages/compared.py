"""Two runs under one another: pictures on one scale of time, and their figures side by side. Pure."""

from __future__ import annotations

from typing import Any

from harness.pages.diagnosis import result
from harness.report.beside import NAMES, beside
from harness.report.html import Told
from harness.report.lanes import span_of


def compared(one: Told, other: Told) -> dict[str, Any]:
    """``runs``: what each run's page shows, with its name; ``names`` and ``rows``: the table of figures."""
    pair = (one, other)
    span = max(span_of(run.captures) for run in pair)
    shown = [_told(run) | result(run.answer, run.captures, span) for run in pair]
    return {"runs": shown, "names": NAMES, "rows": beside(one.answer, other.answer)}


def _told(run: Told) -> dict[str, Any]:
    return {"name": run.name, "kind": run.kind, "route": run.route, "started": run.started}
