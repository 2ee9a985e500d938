"""Runs as one offline HTML file: verdict first, the timelines under one another, then every finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from harness.capture.model import Capture
from harness.report.lanes import WIDTH, Axis, Lane, Mark, lanes, span_of
from harness.report.text import duration, value

ROW, MARK = 34, 22
"""Height of a lane and of its tallest marks, in drawing units."""


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
    drawn, axis = lanes(run.captures, span)
    answer = run.answer
    repeated = len({capture.repeat for capture in run.captures}) > 1
    return {
        "name": run.name,
        "kind": run.kind,
        "route": run.route,
        "started": run.started,
        "verdict": answer["verdict"],
        "headline": headline(answer["verdict"]),
        "picture": _picture(drawn, axis, answer["verdict"].get("first_bad_hop"), repeated),
        "captures": [_row(row, answer["verdict"].get("first_bad_hop"), repeated) for row in answer["captures"]],
        "findings": [_finding(finding) for finding in answer["findings"] if finding["severity"] != "info"],
        "facts": [finding for finding in answer["findings"] if finding["severity"] == "info"],
    }


def headline(verdict: Mapping[str, Any]) -> str:
    """``healthy``, ``cannot tell``, or symptom and hop."""
    if verdict["healthy"] is None:
        return "cannot tell"
    if verdict["healthy"]:
        return "healthy"
    where = verdict["first_bad_hop"]
    return f"{verdict['symptom']} at {where}" if where else str(verdict["symptom"])


def _picture(drawn: Sequence[Lane], axis: Axis, bad: str | None, repeated: bool) -> dict[str, Any]:
    rows = [
        {
            "label": f"{lane.hop} · {lane.tap}" + (f" #{lane.repeat}" if repeated else ""),
            "bad": lane.hop == bad,
            "line": (round(lane.start, 1), round(WIDTH if lane.stop is None else max(lane.stop, lane.start), 1)),
            "end": lane.end,
            "marks": [_mark(mark) for mark in lane.marks],
        }
        for lane in drawn
    ]
    ticks = [{"x": round(x, 1), "text": text} for x, text in axis.ticks]
    return {"rows": rows, "ticks": ticks, "width": WIDTH}


def _mark(mark: Mark) -> dict[str, Any]:
    """Taller where several events fell together: that is what buffering looks like."""
    height = MARK * min(1.0, 0.45 + mark.count / 12)
    return {"x": mark.x, "shade": mark.shade, "count": mark.count, "height": height, "y": (ROW - height) / 2}


def _row(row: Mapping[str, Any], bad: str | None, repeated: bool) -> dict[str, Any]:
    timing = row.get("timing") or {}
    gaps = timing.get("itl_ms") or {}
    times = [duration(timing.get(name)) for name in ("ttfb_ms", "ttft_ms", "e2e_ms")]
    times += [duration(gaps.get(name)) for name in ("p50", "p95", "max")]
    name = f"{row['hop']} #{row.get('repeat')}" if repeated else row["hop"]
    return {**row, "name": name, "bad": row["hop"] == bad, "times": times}


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    figures = [
        (key.removesuffix("_ms").replace("_", " "), duration(fact) if _is_ms(key, fact) else value(fact))
        for key, fact in (finding.get("evidence") or {}).items()
    ]
    at, fix = finding.get("at_ms"), finding.get("fix") or ""
    return {**finding, "figures": figures, "at": "" if at is None else duration(at), "snippet": "\n" in fix}


def _is_ms(key: str, fact: Any) -> bool:
    return key.endswith("_ms") and isinstance(fact, int | float) and not isinstance(fact, bool)
