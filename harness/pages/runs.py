"""Runs: the list, one run's page, its captures as files, and its answer as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from harness.capture.format import dumps
from harness.capture.model import Capture
from harness.models import Run
from harness.pages.diagnosis import checklist, findings, live, out_of_reach, result, rows
from harness.pages.logs import shown
from harness.pages.timeline import timeline
from harness.runs.jobs import ASKING, KINDS
from harness.runs.live import state_of
from harness.runs.store import answer_of, load_captures

SHOWN = 200  # runs in the list
ONE_EXCHANGE = ("chat", "tap")  # kinds of runs with the taps of one exchange: they have a timeline of its events


@require_safe
def run_list(request: HttpRequest) -> HttpResponse:
    """``runs``: [{id, kind, route, state, started, outcome, verdict}], the latest first.

    The page asks every few seconds for what is new since ``?seen=``; where nothing is, it is left alone (204).
    """
    known = Run.objects.values_list("pk", "state", "ended", "pinned")[:SHOWN]  # answers may be large
    mark = sha256(repr(list(known)).encode()).hexdigest()[:16]
    if request.GET.get("seen") == mark:
        return HttpResponse(status=204)
    rows = Run.objects.defer("spec")[:SHOWN]
    return render(request, "runs/list.html", {"runs": [_row(run) for run in rows], "mark": mark})


@require_safe
def run_page(request: HttpRequest, run_id: str) -> HttpResponse:
    """``run`` (a row as in the list), ``answer``, ``captures``: [{hop, tap, repeat, url}]; then by kind.

    A chat has its ``timeline``; a job what :mod:`harness.pages.diagnosis` says.
    """
    run = Run.objects.filter(pk=run_id).first()
    if run is None and state_of(run_id):
        run = Run(pk=run_id, kind="chat", state=Run.State.RUNNING, started=datetime.now(UTC))
    if run is None:
        raise Http404(f"no run {run_id}")
    captures = load_captures(run_id)
    lines = list(run.progress.filter(step__isnull=True))
    more = {"ended": run.ended, "spec": run.spec, "progress": lines}
    context = {
        "run": _row(run) | more,
        "answer": run.answer,
        "captures": [_link(run_id, capture) for capture in captures],
    } | shown(run_id, run.answer, captures)
    if run.kind in ONE_EXCHANGE:
        context |= {"timeline": timeline(captures), "rows": rows(run.answer, captures)} | findings(run.answer)
        return render(request, "runs/detail.html", context)
    climbed = run.kind in KINDS
    context |= {"live": live(run), "hops": checklist(run, captures) if climbed else [], "again": run.kind in ASKING}
    return render(
        request, "diagnose/run.html", context | {"missing": out_of_reach(captures)} | result(run.answer, captures)
    )


@require_safe
def run_answer(request: HttpRequest, run_id: str) -> JsonResponse:
    """``/api/runs/ID``: the answer; 202 ``{"state": "running"}`` until there is one; 404 for an unknown run."""
    answer = answer_of(run_id)
    state = state_of(run_id) or (
        "" if answer else Run.objects.filter(pk=run_id).values_list("state", flat=True).first()
    )
    if state == Run.State.RUNNING:
        return JsonResponse({"state": "running", "run": run_id}, status=202)
    if answer is None:
        what = f"run {run_id} ended without an answer" if state else f"no run has the id {run_id}"
        return JsonResponse({"what": what, "where": "/api/runs/", "do": "See /runs/ for those there are."}, status=404)
    return JsonResponse(answer)


def no_api(request: HttpRequest) -> JsonResponse:
    """What ``/api/`` does not have is said as what it has is: in JSON."""
    what, do = f"nothing is at {request.path}", "Ask /api/runs/ID; /runs/ has the ids."
    return JsonResponse({"what": what, "where": "/api/", "do": do}, status=404)


@require_safe
def run_capture(request: HttpRequest, run_id: str, name: str) -> HttpResponse:
    """One capture as a file; ``name`` is ``HOP.TAP``, and ``?repeat=N`` chooses among repeats (the first)."""
    hop, _, tap = name.rpartition(".")
    repeat = request.GET.get("repeat", "")
    for capture in load_captures(run_id):
        if (capture.hop, capture.tap) == (hop, tap) and repeat in ("", str(capture.repeat or 0)):
            return HttpResponse(
                dumps(capture),
                content_type="application/x-ndjson; charset=utf-8",
                headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}.capture.jsonl"},
            )
    raise Http404(f"run {run_id} has no capture {name}")


def _row(run: Run) -> dict[str, Any]:
    answer = run.answer or {}
    captures = answer.get("captures") or []
    return {
        "id": run.pk,
        "kind": run.kind,
        "route": run.route,
        "state": run.state,
        "started": run.started,
        "outcome": captures[-1]["outcome"] if captures else run.state,
        "verdict": answer.get("verdict"),
        "pinned": run.pinned,
    }


def _link(run_id: str, capture: Capture) -> dict[str, Any]:
    url = reverse("run-capture", args=(run_id, f"{capture.hop}.{capture.tap}"))
    if capture.repeat is not None:
        url += f"?repeat={capture.repeat}"
    return {"hop": capture.hop, "tap": capture.tap, "repeat": capture.repeat, "url": url}
