"""Runs as one offline HTML file: verdict first, the timelines under one another, then every finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import get_language

from harness.capture.model import Capture
from harness.phrase import joined, say, spoken, term, told
from harness.report.beside import NAMES, beside
from harness.report.lanes import span_of
from harness.report.picture import figures, headline, picture, repeats, telling_round, told_finding

TAGS = {"zh-hans": "zh-Hans"}
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
    title = joined(" and ", [run.name for run in runs]).told(spoken.get())
    context: dict[str, Any] = {"runs": shown, "title": title, "lang": TAGS.get(get_language() or "", "en")}
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
    facts = [finding for finding in answer["findings"] if finding["severity"] == "info"]
    return {
        "name": run.name,
        "about": _about(run),
        "verdict": answer["verdict"],
        "needs": say("To settle it: {needs}", needs=needs) if (needs := answer["verdict"].get("needs")) else "",
        "label": say("Timeline of run {name}: one lane a tap, one mark an event", name=run.name),
        "headline": headline(answer["verdict"]),
        "picture": picture(drawn, bad, span),
        "left_out": _left_out(left_out) if left_out else "",
        "captures": [figures(row, bad, repeated) for row in answer["captures"]],
        "findings": [told_finding(finding) for finding in answer["findings"] if finding["severity"] != "info"],
        "facts": facts,
        "facts_said": _facts(len(facts)),
    }


def _left_out(count: int) -> str:
    return say("The telling round alone; {count} more lanes are not drawn, their figures are below.", count=count)


def _facts(count: int) -> str:
    if count == 1:
        return say("1 fact that did no harm, or came from a hop before")
    return say("{count} facts that did no harm, or came from a hop before", count=count)


def _about(run: Told) -> str:
    """What was done, over which route, when, and how sure the verdict is."""
    what = f"{told(term(run.kind), spoken.get())} {run.name}".strip()
    if run.route:
        what = say("{run} over {route}", run=what, route=run.route)
    sure = told(term(str(run.answer["verdict"]["confidence"])), spoken.get())
    return " · ".join(filter(None, (what, run.started, sure)))
