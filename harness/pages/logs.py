"""What gateways' own logs say, on a run's page: brought there, read, shown beside the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from harness.capture.model import Capture
from harness.errors import InputError, LimitExceeded, StreamscopeError
from harness.models import Run
from harness.pages import asked
from harness.runs import beside
from harness.runs.uploads import TOTAL

HOW = {"id": "found by its id", "duration": "found by how long it took", "time": "found by time alone"}
Json = dict[str, Any]


@require_http_methods(["GET", "HEAD", "POST"])
def run_logs(request: HttpRequest, run_id: str) -> HttpResponse:
    """``/runs/ID/logs``: a GET gives the logs' part of the run's page, a POST brings logs (``log``, ``log_text``,
    ``log_hop``, ``log_offset``) and leads back there."""
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        raise Http404(f"no run {run_id}")
    if request.method != "POST":
        response = render(request, "runs/logs.html", {"run": {"id": run_id}} | shown(run_id, run.answer))
        if not beside.waiting(run_id):
            response.headers["HX-Refresh"] = "true"
        return response
    try:
        _check_size(request)
        given, offset = asked.logs(request, needed=True), asked.log_offset(request)
        if run.answer is None:
            raise InputError("the run has no verdict yet", "log", "Wait until it has ended.")
        if beside.waiting(run_id):
            raise LimitExceeded("a log is being read already", "log", "Wait a moment, and bring the next one then.")
        beside.keep(run_id, given, offset)
        beside.launch(run_id)
    except StreamscopeError as error:
        status = 413 if error.where == "upload" else 429 if isinstance(error, LimitExceeded) else 400
        context = {"failure": error, "back": reverse("run", args=(run_id,))}
        return render(request, "diagnose/refused.html", context, status=status)
    return HttpResponseRedirect(reverse("run", args=(run_id,)) + "#logs")


def _check_size(request: HttpRequest) -> None:
    try:
        asked.check_body(request)
    except LimitExceeded:
        what = f"the log is larger than the {TOTAL // 1024**2} MiB that are taken at once"
        do = "Cut out the minutes around the exchange, or have a command read it: `manage.py diagnose … --log FILE`."
        raise LimitExceeded(what, "upload", do) from None


def shown(run_id: str, answer: Mapping[str, Any] | None, captures: Sequence[Capture] = ()) -> Json:
    """``logs``: what was found, a block a log and exchange; ``reading``: more is on its way; ``log_hops``: whose log
    it may be."""
    rows = (answer or {}).get("logs") or []
    telling = {row["file"] for row in rows if row["lines"]}
    blocks = [_block(row) for row in rows if row["lines"] or row["file"] not in telling]
    hops = dict.fromkeys(c.hop for c in captures if c.tap in ("read", "write", "emit") and c.sent_at)
    return {
        "logs": blocks,
        "reading": beside.waiting(run_id),
        "log_hops": list(hops),
        "most_mib": TOTAL // 1024**2,
    }


def _block(row: Mapping[str, Any]) -> Json:
    offset = row["offset_ms"] / 1e3
    return {
        **row,
        "name": row["hop"] + ("" if row["repeat"] is None else f" #{row['repeat']}"),
        "how": HOW.get(row["matched"] or "", "nothing found"),
        "note": (row["note"] or "").replace("name --log-offset", "say by how much"),
        "clock": f"its clock {offset:+.3f} s" if offset else "",
        "lines": [{**line, "when": _when(line)} for line in row["lines"]],
    }


def _when(line: Mapping[str, Any]) -> str:
    """Seconds since the request was sent; ``≈`` where the log writes whole seconds."""
    if line["after_ms"] is None:
        return "–"
    seconds = line["after_ms"] / 1e3
    coarse = (line["precision_ms"] or 1000.0) >= 1000.0
    return f"≈{seconds:+.1f} s" if coarse else f"{seconds:+.3f} s"
