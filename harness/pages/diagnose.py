"""The Diagnose page: choose a route and climb it, or bring recordings; both end as a run."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from harness.capture.mask import mask_url
from harness.errors import InputError, LimitExceeded, StreamscopeError, UnknownRoute
from harness.models import Run
from harness.pages import asked
from harness.routes.catalogue import addresses
from harness.routes.model import Route
from harness.runs.catalogue import all_routes, find
from harness.runs.curl import curl_command
from harness.runs.ladder import PROMPT
from harness.runs.launch import begin
from harness.runs.uploads import TOTAL


@require_http_methods(["GET", "HEAD", "POST"])
def diagnose_page(request: HttpRequest) -> HttpResponse:
    """``/diagnose/``: the forms; a POST starts a ladder and leads to its run. ``?route=`` preselects."""
    if request.method != "POST":
        return _form(request, request.GET.get("route", ""))
    try:
        wish = asked.ladder(request)
        route = find(wish.route)
        _check_hops(route, {recording.hop for recording in wish.recordings})
        spec = {"hops": _hops(route)}
        run = begin("ladder", wish.route, wish.recordings, spec, prompt=wish.prompt, repeat=wish.repeat)
    except StreamscopeError as error:
        return _refused(request, error)
    return HttpResponseRedirect(reverse("run", args=(run.pk,)))


@require_http_methods(["GET", "HEAD", "POST"])
def recordings(request: HttpRequest) -> HttpResponse:
    """``/diagnose/recordings``: judge what somebody recorded, by itself or (``of``) in the run that missed it."""
    if request.method != "POST":
        return HttpResponseRedirect(reverse("diagnose"))
    try:
        asked.check_body(request)
        base = _base(request.POST.get("of", ""))
        if base is None:
            spec: dict[str, Any] = {"ordered": request.POST.get("ordered") == "1"}
            run = begin("diagnose", "", asked.plain(request), spec, logs=asked.logs(request))
        else:
            files = asked.of_hops(request)
            if not files:
                raise InputError("no file is chosen", "recording", "Choose what the curl command wrote.")
            spec = {"of": base.pk, "hops": base.spec.get("hops", []), "plan": base.spec.get("plan", {})}
            run = begin("diagnose", base.route, files, spec)
    except StreamscopeError as error:
        return _refused(request, error)
    return HttpResponseRedirect(reverse("run", args=(run.pk,)))


@require_safe
def hops(request: HttpRequest) -> HttpResponse:
    """The checklist of ``?route=`` before it is climbed, as a fragment."""
    try:
        route = find(request.GET.get("route", ""))
    except StreamscopeError as error:
        return render(request, "diagnose/failure.html", {"failure": error}, status=_status(error))
    return render(request, "diagnose/hops.html", {"hops": _waiting(route)})


def _form(
    request: HttpRequest, chosen: str, failure: StreamscopeError | None = None, status: int = 200
) -> HttpResponse:
    routes = all_routes()
    names = [name for route in routes for name in addresses(route)]
    chosen = chosen if chosen in names else names[0] if names else ""
    groups = [
        ("Your routes", [name for route in routes if route.origin != "lab" for name in addresses(route)]),
        ("Built-in lab", [name for route in routes if route.origin == "lab" for name in addresses(route)]),
    ]
    context: dict[str, Any] = {
        "groups": [group for group in groups if group[1]],
        "chosen": chosen,
        "hops": _waiting(find(chosen)) if chosen else [],
        "prompt": request.POST.get("prompt") or PROMPT,
        "repeat": request.POST.get("repeat") or 1,
        "most_rounds": asked.MOST_ROUNDS,
        "most_mib": TOTAL // 1024**2,
        "failure": failure,
    }
    return render(request, "diagnose/page.html", context, status=status)


def _refused(request: HttpRequest, error: StreamscopeError) -> HttpResponse:
    if isinstance(error, LimitExceeded) and error.where == "upload":
        # The form is not read: it is too large, and reading it is what the limit is to prevent.
        return render(request, "diagnose/refused.html", {"failure": error}, status=413)
    return _form(request, request.POST.get("route", ""), error, _status(error))


def _status(error: StreamscopeError) -> int:
    return 404 if isinstance(error, UnknownRoute) else 429 if isinstance(error, LimitExceeded) else 400


def _hops(route: Route) -> list[list[str]]:
    return [[hop.name, hop.kind] for hop in route.hops]


def _waiting(route: Route) -> list[dict[str, str]]:
    messages = [{"role": "user", "content": PROMPT}]
    return [
        {
            "name": hop.name,
            "kind": hop.kind,
            "url": mask_url(hop.endpoint()),
            "curl": curl_command(route, hop, messages),
        }
        for hop in route.hops
    ]


def _check_hops(route: Route, named: set[str]) -> None:
    missing = named - {hop.name for hop in route.hops}
    if missing:
        what = f"route {route.name} has no hop {min(missing)!r}"
        raise UnknownRoute(what, "recording", "Choose the route first, then the recording for its hop.")


def _base(run_id: str) -> Run | None:
    if not run_id:
        return None
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        raise InputError(f"no run has the id {run_id}", "recording", "It may be too old: upload without it.")
    return run
