"""The chat page: which routes can be asked, and the shell that the ES modules fill."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from harness.routes.model import Route
from harness.runs.catalogue import all_routes


def options(routes: Iterable[Route]) -> Iterator[dict[str, Any]]:
    """What the route picker offers: each route, then ``ROUTE/HOP`` for each of its hops.

    ``way``: names of the hops that are asked, innermost first. ``hidden`` marks a cut that leaves the route as
    it is: it can be named but need not be seen.
    """
    for route in routes:
        names = [hop.name for hop in route.hops]
        yield {"value": route.name, "label": route.name, "way": names, "hidden": False}
        for at, name in enumerate(names, 1):
            label = f"{route.name}/{name}"
            yield {"value": label, "label": label, "way": names[:at], "hidden": len(names) == 1}


@require_safe
def chat_page(request: HttpRequest) -> HttpResponse:
    """The page ``/``. Routes come in two groups: configured ones, and the lab's."""
    routes = all_routes()
    groups = [
        ("Your routes", [row for route in routes if route.origin != "lab" for row in options([route])]),
        ("Built-in lab", [row for route in routes if route.origin == "lab" for row in options([route])]),
    ]
    names = {route.name for route in routes}
    return render(request, "chat/page.html", {"groups": [g for g in groups if g[1]], "names": names})
