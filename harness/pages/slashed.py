"""Addresses of pages that somebody typed without their last slash."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseRedirect
from django.views.decorators.http import require_safe


@require_safe
def slashed(request: HttpRequest) -> HttpResponseRedirect:
    """Lead to the same address with a slash, its query kept."""
    path = "/" + request.path.strip("/") + "/"  # never "//": that would name another host
    return HttpResponseRedirect(path + (f"?{query}" if (query := request.META.get("QUERY_STRING")) else ""))
