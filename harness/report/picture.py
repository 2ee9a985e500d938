"""What a run looks like, as plain figures for templates: lanes, rows of figures, findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.capture.model import Capture
from harness.phrase import say, spoken, term, told
from harness.report.lanes import WIDTH, Mark, lanes
from harness.report.text import duration, fact_name, heading, value

ROW, MARK = 34, 22
"""Height of a lane and of its tallest marks, in drawing units."""


def headline(verdict: Mapping[str, Any]) -> str:
    """``healthy``, ``cannot tell``, or symptom and hop, in the language that is spoken."""
    if verdict["healthy"] is None:
        return say("cannot tell")
    if verdict["healthy"]:
        return say("healthy")
    symptom, where = term(str(verdict["symptom"])), verdict["first_bad_hop"]
    return say("{symptom} at {hop}", symptom=symptom, hop=where) if where else say("{symptom}", symptom=symptom)


def repeats(captures: Sequence[Capture]) -> bool:
    """Whether captures of several rounds are among them, so that each has to bear its number."""
    return len({capture.repeat for capture in captures}) > 1


def telling_round(answer: Mapping[str, Any], captures: Sequence[Capture]) -> int | None:
    """Of several rounds the one to draw: the first in which the first bad hop has a fault, else the first."""
    bad = answer["verdict"].get("first_bad_hop")
    faults = [finding for finding in answer["findings"] if finding["severity"] == "error" and finding["hop"] == bad]
    rounds = list(dict.fromkeys(capture.repeat for capture in captures))
    return next((f.get("repeat") for f in faults if f.get("repeat") in rounds), rounds[0] if rounds else None)


def picture(captures: Sequence[Capture], bad: str | None, span_ms: float | None = None) -> dict[str, Any]:
    """``rows``: [{label, bad, line, end, marks}] and ``ticks``, all in percent of the width, for ``report/lanes.html``.

    ``bad`` is the hop to mark; ``span_ms`` the width of the axis, so that two runs can be drawn to one scale.
    """
    drawn, axis = lanes(captures, span_ms)
    repeated = repeats(captures)
    titles = {count: say("{count} events", count=count) for count in {m.count for lane in drawn for m in lane.marks}}
    rows = [
        {
            "label": f"{lane.hop} · {lane.tap}" + (f" #{lane.repeat}" if repeated else ""),
            "bad": lane.hop == bad,
            "line": (_percent(lane.start), _percent(WIDTH if lane.stop is None else max(lane.stop, lane.start))),
            "end": lane.end,
            "end_said": told(term(lane.end), spoken.get()),
            "marks": [_mark(mark, titles[mark.count]) for mark in lane.marks],
        }
        for lane in drawn
    ]
    ticks = [{"at": _percent(x), "text": text, "side": _side(x)} for x, text in axis.ticks]
    return {"rows": rows, "ticks": ticks}


def _percent(x: float) -> float:
    return round(x * 100 / WIDTH, 2)


def _side(x: float) -> str:
    """On which side of its tick a text stands, so that none hangs over the edge."""
    return "first" if x < WIDTH * 0.03 else "last" if x > WIDTH * 0.95 else "middle"


def _mark(mark: Mark, title: str) -> dict[str, Any]:
    """Taller where several events fell together: that is what buffering looks like."""
    height = MARK * min(1.0, 0.45 + mark.count / 12)
    return {"at": _percent(mark.x), "shade": mark.shade, "title": title, "height": height, "y": (ROW - height) / 2}


def figures(row: Mapping[str, Any], bad: str | None, repeated: bool) -> dict[str, Any]:
    """A row of the answer's ``captures`` with its name, whether it is the bad hop, and its times as text."""
    timing = row.get("timing") or {}
    gaps = timing.get("itl_ms") or {}
    times = [duration(timing.get(name)) for name in ("ttfb_ms", "ttft_ms", "e2e_ms")]
    times += [duration(gaps.get(name)) for name in ("p50", "p95", "max")]
    name = f"{row['hop']} #{row.get('repeat')}" if repeated else row["hop"]
    outcome = told(term(str(row.get("outcome", ""))), spoken.get())
    return {**row, "name": name, "bad": row["hop"] == bad, "times": times, "said": outcome}


def told_finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    """A finding with its evidence as (name, text) and its moment as text; ``snippet``: the fix has lines to paste."""
    shown = [
        (fact_name(key), duration(fact) if _is_ms(key, fact) else value(fact))
        for key, fact in (finding.get("evidence") or {}).items()
    ]
    at, fix = finding.get("at_ms"), finding.get("fix") or ""
    event, between = finding.get("event"), finding.get("between")
    moment = [say("event {event}", event=event)] if event is not None else []
    moment += [] if at is None else [say("at {time}", time=duration(at))]
    return {
        **finding,
        "heading": heading(finding["severity"], finding["code"], finding["hop"], between),
        "figures": shown,
        "at": "" if at is None else duration(at),
        "moment": moment,
        "snippet": "\n" in fix,
    }


def _is_ms(key: str, fact: Any) -> bool:
    return key.endswith("_ms") and isinstance(fact, int | float) and not isinstance(fact, bool)
