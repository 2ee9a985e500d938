"""Runs as one offline HTML file: verdict first, the timelines under one another, then every finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from harness.capture.model import Capture
from harness.report.lanes import span_of
from harness.report.picture import figures, headline, picture, repeats, told_finding


@dataclass(frozen=True, slots=True)
class Told:
    """What a report tells of one run: its captures (innermost first) and its answer (contract 4.2)."""

    name: str
    captures: Sequence[Capture]
    answer: Mapping[str, Any]
    kind: str = ""
    route: str = ""
    started: str = ""


def page(runs: Sequence[Told]) -> str:
    """The HTML document. Two runs are drawn to one time scale. No script, nothing fetched."""
    span = max((span_of(run.captures) for run in runs), default=1.0)
    shown = [_run(run, span) for run in runs]
    return render_to_string("report/report.html", {"runs": shown, "title": " and ".join(run.name for run in runs)})


def _run(run: Told, span: float) -> dict[str, Any]:
    answer, bad = run.answer, run.answer["verdict"].get("first_bad_hop")
    repeated = repeats(run.captures)
    return {
        "name": run.name,
        "kind": run.kind,
        "route": run.route,
        "started": run.started,
        "verdict": answer["verdict"],
        "headline": headline(answer["verdict"]),
        "picture": picture(run.captures, bad, span),
        "captures": [figures(row, bad, repeated) for row in answer["captures"]],
        "findings": [told_finding(finding) for finding in answer["findings"] if finding["severity"] != "info"],
        "facts": [finding for finding in answer["findings"] if finding["severity"] == "info"],
    }
