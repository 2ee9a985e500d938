"""Who may ask: the names that the web answers to, and where a request that changes something may come from.

The web holds gateway keys and has no login, so two doors are shut. A page of another site must not POST (its
``Origin`` is not ours), and must not become "our" origin by pointing a name of its own at this address (DNS
rebinding), for which it needs a public name, one with a dot in it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from harness.errors import InputError
from harness.pages.middleware import AsyncMiddleware

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


def hostname(host: str) -> str:
    """``name`` of a Host header ``name[:port]``, lower-case, without the brackets of an IPv6 address."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def host_allowed(host: str, allowed: Collection[str] = ()) -> bool:
    """Whether a Host header is an IP address, a name without a dot, or one of ``allowed`` (``*`` is any)."""
    name = hostname(host)
    if not name:
        return not host
    if "." not in name or name.endswith(".localhost") or name in allowed or "*" in allowed:
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def same_origin(headers: Mapping[str, str], allowed: Collection[str] = ()) -> bool:
    """Whether a request comes from our own page, or from no page at all (no ``Origin``: curl, a probe).

    ``headers`` by lower-case name. A proxy in front may have replaced Host, so what the browser itself says
    (``Sec-Fetch-Site``) and what the proxy handed on (``X-Forwarded-Host``) count as well: a foreign page can
    set neither.
    """
    origin = headers.get("origin", "")
    if not origin or headers.get("sec-fetch-site") == "same-origin":
        return True
    if headers.get("sec-fetch-site") == "cross-site":
        return False
    parts = urlsplit(origin)
    ours = {headers.get("host", "").lower(), headers.get("x-forwarded-host", "").lower()} - {""}
    return parts.netloc.lower() in ours or bool(parts.hostname and parts.hostname in allowed)


def refusal(method: str, headers: Mapping[str, str], allowed: Collection[str]) -> tuple[int, InputError] | None:
    """Status and reason for which a request must be turned away, None for one that may pass."""
    host = headers.get("host", "")
    if not host_allowed(host, allowed):
        name = hostname(host) or repr(host)
        return 400, InputError(f"{name} is not a name of this server", "Host header", "Add it to HARNESS_HOSTS.")
    if method not in SAFE and not same_origin(headers, allowed):
        return 403, InputError(
            f"{headers.get('origin')} is not the origin of this page",
            "Origin header",
            "Send it from Streamscope's own page; behind a proxy, hand on Host or X-Forwarded-Host.",
        )
    return None


class Guard(AsyncMiddleware):
    """Middleware that answers a refused request with ``{"what","where","do"}``."""

    async def __call__(self, request: HttpRequest) -> HttpResponseBase:
        headers = {name.lower(): value for name, value in request.headers.items()}
        refused = refusal(request.method or "GET", headers, settings.HOSTS)
        if refused:
            return JsonResponse(refused[1].as_json(), status=refused[0])
        return await self.get_response(request)
