"""Runs as one offline HTML file: verdict first, the timelines under one another, then every finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from harness.capture.model import Capture
from harness.report.beside import NAMES, beside
from harness.report.lanes import span_of
from harness.report.picture import figures, headline, picture, repeats, telling_round, told_finding

MOST_LANES = 24
"""Of a run with more captures than this in several rounds, only the telling round is drawn."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a report tells of one run: its captures (innermost first) and its answer (docs/formats.md)."""

    name: str
    captures: Sequence[Capture]
    answer: Mapping[str, Any]
    kind: str = ""
    route: str = ""
    started: str = ""


def page(runs: Sequence[Told]) -> str:
    """The HTML document: no script, nothing fetched. Two runs have one time scale and a table of what changed."""
    span = max((span_of(run.captures) for run in runs), default=1.0)
    shown = [_run(run, span) for run in runs]
    context: dict[str, Any] = {"runs": shown, "title": " and ".join(run.name for run in runs)}
    if len(runs) == 2:
        context |= {"names": NAMES, "rows": beside(runs[0].answer, runs[1].answer)}
    return render_to_string("report/report.html", context)


def _run(run: Told, span: float) -> dict[str, Any]:
    answer, bad = run.answer, run.answer["verdict"].get("first_bad_hop")
    repeated = repeats(run.captures)
    drawn, left_out = run.captures, 0
    if repeated and len(run.captures) > MOST_LANES:
        shown = telling_round(answer, run.captures)
        drawn = [capture for capture in run.captures if capture.repeat == shown]
        left_out = len(run.captures) - len(drawn)
    return {
        "name": run.name,
        "kind": run.kind,
        "route": run.route,
        "started": run.started,
        "verdict": answer["verdict"],
        "headline": headline(answer["verdict"]),
        "picture": picture(drawn, bad, span),
        "left_out": left_out,
        "captures": [figures(row, bad, repeated) for row in answer["captures"]],
        "findings": [told_finding(finding) for finding in answer["findings"] if finding["severity"] != "info"],
        "facts": [finding for finding in answer["findings"] if finding["severity"] == "info"],
    }
