"""What the page of a ladder, a probe or an upload shows: its hops as a checklist, the picture, findings, files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from harness.capture.model import Capture
from harness.errors import StreamscopeError
from harness.models import Run
from harness.report.picture import figures, headline, picture, telling_round, told_finding
from harness.report.text import duration
from harness.routes.model import Route
from harness.runs.catalogue import find
from harness.runs.curl import curl_command
from harness.runs.jobs import ASKING
from harness.runs.ladder import PROMPT
from harness.runs.steps import Step, latest, step_of
from harness.timeline.reached import unreached

Json = dict[str, Any]
SETTLING = timedelta(seconds=3)  # how long a stopped job may take to store what it had
WORDS = {"waiting": "waiting", "probing": "probing", "unreachable": "not reached", "recorded": "recorded"}
"""What the states of a step are called on the page; an ended one by its outcome."""


def checklist(run: Run, captures: Sequence[Capture] = ()) -> list[Json]:
    """[{name, kind, state, words, figures: [(name, text)], curl, bad, good}] of each hop, innermost first.

    ``captures``: where a run has no steps (an upload), its hops are told from them.
    """
    answer = run.answer or {}
    bad = (answer.get("verdict") or {}).get("first_bad_hop")
    faulty = {finding["hop"] for finding in answer.get("findings", []) if finding["severity"] == "error"}
    steps: list[Json] = [line.step for line in run.progress.filter(step__isnull=False) if line.step]
    if not steps:
        steps = [step_of(capture.hop, capture.repeat, capture).as_json() for capture in captures]
        if run.kind not in ASKING:
            steps = [step | {"state": "recorded" if step["state"] == "ended" else step["state"]} for step in steps]
    kinds = {capture.hop: capture.kind for capture in captures} | dict(run.spec.get("hops", []))
    names = [name for name, _ in run.spec.get("hops", [])]
    names += [step["hop"] for step in steps if step["hop"] not in names]
    route = _route(run)
    running = run.state == Run.State.RUNNING
    number = telling_round(answer, captures) if answer else None
    return [
        _item(step, kinds.get(step.hop, ""), running, _curl(run, route, step))
        | {"bad": step.hop == bad, "good": step.outcome == "done" and step.hop not in faulty}
        for step in latest(list(dict.fromkeys(names)), steps, running=running, number=number)
    ]


def _item(step: Step, kind: str, running: bool, curl: str) -> Json:
    shown = {"TTFB": step.ttfb_ms, "TTFT": step.ttft_ms, "ITL p50": step.itl_p50_ms, "ITL max": step.itl_max_ms}
    words = WORDS.get(step.state) or step.outcome
    words = "not asked" if step.state == "waiting" and not running else words
    words += "; the round before:" if step.state == "probing" and step.end_ms is not None else ""
    return {
        "name": step.hop,
        "kind": kind,
        "state": step.state,
        "words": f"{words}: {step.detail}" if step.detail and step.state == "unreachable" else words,
        "figures": [
            *((name, duration(ms)) for name, ms in shown.items() if ms is not None),
            *([("end", f"{step.end} at {duration(step.end_ms)}")] if step.end_ms is not None else []),
            *([("HTTP", str(step.status))] if step.status and step.status != 200 else []),
        ],
        "curl": curl,
    }


def _route(run: Run) -> Route | None:
    """The run's route as it is now; None when it has gone or never was."""
    try:
        return find(run.route) if run.route else None
    except StreamscopeError:
        return None


def _curl(run: Run, route: Route | None, step: Step) -> str:
    """The command that records a hop out of reach, where it can be reached."""
    hop = next((hop for hop in route.hops if hop.name == step.hop), None) if route else None
    if route is None or hop is None or step.state != "unreachable":
        return ""
    plan = run.spec.get("plan", {})
    messages = [{"role": "user", "content": plan.get("prompt", PROMPT)}]
    return curl_command(route, hop, messages, stream=plan.get("stream", True))


def live(run: Run) -> Json:
    """``running``, ``phrase`` and, where there are several, ``round`` of ``rounds``."""
    plan = run.spec.get("plan", {})
    rounds = plan.get("most" if plan.get("until_fault") else "repeat", 1)
    last = run.progress.filter(step__isnull=False).order_by("-id").values_list("step", flat=True).first()
    at = (last or {}).get("round")
    settling = run.state == Run.State.STOPPED and run.answer is None and _fresh(run)
    running = run.state == Run.State.RUNNING or settling
    verb = "Reading the recordings" if run.kind == "diagnose" else "Climbing" if last else "Starting"
    phrase = "Stopping" if settling else verb if running else str(run.state)
    return {
        "running": running,
        "phrase": phrase,
        "round": None if at is None or rounds < 2 else at + 1,
        "rounds": rounds,
    }


def _fresh(run: Run) -> bool:
    return run.ended is not None and datetime.now(UTC) - run.ended < SETTLING


def result(answer: Mapping[str, Any] | None, captures: Sequence[Capture], span_ms: float | None = None) -> Json:
    """Headline, picture, rows and findings of a judged run; empty without an answer.

    Of several rounds, the picture shows the telling one. ``span_ms``: the picture's width.
    """
    if answer is None:
        return {}
    verdict = answer["verdict"]
    bad = verdict.get("first_bad_hop")
    shown, made = telling_round(answer, captures), {capture.repeat or 0 for capture in captures}
    return {
        "verdict": verdict,
        "headline": headline(verdict),
        "picture": picture([c for c in captures if c.repeat == shown], bad, span_ms),
        "shown": None if shown is None or len(made) < 2 else shown + 1,
        "rounds": max(made, default=0) + 1,  # until a fault, all but the last two are forgotten
        "rows": rows(answer, captures),
    } | findings(answer)


def rows(answer: Mapping[str, Any] | None, captures: Sequence[Capture]) -> list[Json]:
    """The rows of the table of captures; those of the captures alone, without figures, where nothing is judged."""
    if answer is None:
        plain = [{"hop": capture.hop, "tap": capture.tap, "repeat": capture.repeat} for capture in captures]
        return [figures({"outcome": "", "events": "", "text_chars": ""} | row, None, False) for row in plain]
    bad = answer["verdict"].get("first_bad_hop")
    repeated = len({row.get("repeat") for row in answer["captures"]}) > 1
    return [figures(row, bad, repeated) for row in answer["captures"]]


def findings(answer: Mapping[str, Any] | None) -> Json:
    """``findings`` that hurt or may hurt, and ``facts``, as ``diagnose/finding.html`` shows them.

    What several rounds show is told once, of the first of them; ``others``: the numbers of the other rounds.
    """
    found: dict[tuple[Any, ...], Json] = {}
    for finding in (answer or {}).get("findings") or []:
        of = (finding["code"], finding["hop"], finding["severity"], finding.get("repeat"))
        first = next((found[key] for key in found if key[:3] == of[:3] and key[3] != of[3]), None)
        if first is None:
            found[*of, len(found)] = told_finding(finding) | {"others": []}
        elif of[3] is not None and of[3] + 1 not in first["others"]:
            first["others"].append(of[3] + 1)
    told = list(found.values())
    return {
        "findings": [finding for finding in told if finding["severity"] != "info"],
        "facts": [finding for finding in told if finding["severity"] == "info"],
    }


def out_of_reach(captures: Sequence[Capture]) -> list[str]:
    """Names of hops that no capture reached, for which a recording can be brought in."""
    reached = {capture.hop for capture in captures if not unreached(capture)}
    return list(dict.fromkeys(capture.hop for capture in captures if capture.hop not in reached))
