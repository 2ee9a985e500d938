"""What can be done with a run: watch it, stop it, pin it, take it away as a report, lay it beside another."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from harness.errors import InputError
from harness.models import Run
from harness.pages.compared import compared
from harness.pages.diagnosis import checklist, live
from harness.report.html import page
from harness.report.told import told
from harness.runs import jobs, keep

STYLE = re.compile(r"<style>(.*?)</style>", re.S)


@require_safe
def run_live(request: HttpRequest, run_id: str) -> HttpResponse:
    """The checklist as it is now, a fragment; when the run has ended, the page is told to load itself anew."""
    run = get_object_or_404(Run, pk=run_id)
    state = live(run)
    response = render(request, "diagnose/live.html", {"live": state, "hops": checklist(run)})
    if not state["running"]:
        response.headers["HX-Refresh"] = "true"
    return response


@require_POST
def run_stop(request: HttpRequest, run_id: str) -> HttpResponse:
    """Ask the run's job to stop; what it has is kept. No harm where it has ended."""
    if not Run.objects.filter(pk=run_id).exists():
        raise Http404(f"no run {run_id}")
    jobs.stop(run_id)
    return HttpResponseRedirect(reverse("run", args=(run_id,)))


@require_POST
def run_pin(request: HttpRequest, run_id: str) -> HttpResponse:
    """``pinned=1`` keeps the run for good, ``pinned=0`` no longer."""
    if not keep.pin(run_id, request.POST.get("pinned") == "1"):
        raise Http404(f"no run {run_id}")
    return HttpResponseRedirect(reverse("run", args=(run_id,)))


@require_safe
def run_report(request: HttpRequest, run_id: str) -> HttpResponse:
    """The run as one offline HTML file: shown, or with ``?download`` saved."""
    try:
        html = page([told(run_id)])
    except InputError as error:
        raise Http404(str(error)) from None
    response = HttpResponse(html, headers={"Content-Security-Policy": own_style(html)})
    if "download" in request.GET:
        response.headers["Content-Disposition"] = f'attachment; filename="streamscope-{_plain(run_id)}.html"'
    return response


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """``/runs/compare?a=ID&b=ID`` (or ``?run=ID&run=ID``): two runs under one another, on one scale of time."""
    ids = [request.GET.get("a", ""), request.GET.get("b", "")] if "a" in request.GET else request.GET.getlist("run")
    ids = [run_id for run_id in dict.fromkeys(ids) if run_id]
    if len(ids) != 2:
        error = InputError(f"{len(ids)} runs are chosen, not two", "/runs/", "Tick two runs in the list.")
        return render(request, "diagnose/refused.html", {"failure": error}, status=400)
    try:
        runs = [told(run_id) for run_id in ids]
    except InputError as error:
        return render(request, "diagnose/refused.html", {"failure": error}, status=404)
    if "a" not in request.GET:  # ticked in the list: the earlier one first
        runs.sort(key=lambda run: run.started)
    return render(request, "diagnose/compare.html", compared(*runs))


def own_style(html: str) -> str:
    """A policy under which a report's own style sheet applies, and nothing else in it does anything."""
    hashes = [b64encode(sha256(css.encode()).digest()).decode() for css in STYLE.findall(html)]
    styles = " ".join(f"'sha256-{digest}'" for digest in hashes) or "'none'"
    return f"default-src 'none'; style-src {styles}; base-uri 'none'; frame-ancestors 'none'"


def _plain(name: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in name)
