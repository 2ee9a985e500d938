"""Timers that cut streams, as data: which product, what setting, its default, and what it counts.

Sources: nginx 1.31.5 source (`ngx_http_proxy_module`); Envoy, AWS, Azure, GCP, Cloudflare and Kong documentation;
httpx 0.28.1, aiohttp 3.14.5, gunicorn 27.0.1, daphne 4.2.3, openai 3.57.0 sources; HAProxy's sample configuration.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.diagnose.thresholds import TIMER_SLACK, TIMER_SLACK_MS


class Timer(NamedTuple):
    """``counts``: ``idle`` (between two reads), ``total`` (the whole request) or ``head`` (before the headers).
    ``late_ms``: how much after its time the product is seen to act. ``kinds``: where on a route it can sit."""

    seconds: float
    counts: str
    product: str
    setting: str
    kinds: frozenset[str]
    late_ms: float = 0.0


FRONT = frozenset({"proxy", "network-path"})
APP = frozenset({"app", "gateway"})

TIMERS: tuple[Timer, ...] = (
    Timer(5, "idle", "httpx default", "httpx.Timeout(read=…)", APP | {"client"}),
    Timer(10, "idle", "OkHttp default", "OkHttpClient readTimeout", APP | {"client"}),
    Timer(10, "total", "serverless function limit", "the platform's maximum duration", APP),
    Timer(15, "total", "Envoy route timeout", "route timeout: 0s", FRONT | {"gateway"}, 1100),
    Timer(20, "idle", "Azure Application Gateway (portal default)", "request timeout of the backend setting", FRONT),
    Timer(20, "total", "Azure Application Gateway (portal default)", "request timeout of the backend setting", FRONT),
    Timer(29, "total", "AWS API Gateway integration", "integration timeout, or response streaming", FRONT),
    Timer(30, "total", "gunicorn sync worker", "--timeout, or async workers", APP, 2000),
    Timer(30, "total", "GCP backend service", "timeoutSec of the backend service", FRONT),
    Timer(30, "idle", "CloudFront origin response timeout", "origin response timeout", FRONT),
    Timer(30, "idle", "Next.js rewrite", "experimental.proxyTimeout", APP),
    Timer(30, "idle", "OpenShift router", "haproxy.router.openshift.io/timeout", FRONT),
    Timer(50, "idle", "HAProxy sample configuration", "timeout server, timeout client, timeout tunnel", FRONT),
    Timer(60, "idle", "nginx", "proxy_read_timeout", FRONT | {"gateway"}),
    Timer(60, "idle", "AWS ALB", "idle_timeout.timeout_seconds", FRONT),
    Timer(60, "idle", "Kong", "read_timeout of the service", FRONT | {"gateway"}),
    Timer(60, "idle", "Apache", "ProxyTimeout", FRONT),
    Timer(60, "idle", "APISIX", "timeout.read of the upstream", FRONT | {"gateway"}),
    Timer(60, "total", "a gateway's own request limit", "its request timeout", APP),
    Timer(100, "idle", "Cloudflare (older)", "proxy read timeout", FRONT),
    Timer(120, "idle", "Cloudflare", "proxy read timeout", FRONT),
    Timer(180, "head", "aiproxy", "stream_request_timeout", frozenset({"gateway"})),
    Timer(240, "total", "ingress-nginx reload", "worker-shutdown-timeout", FRONT),
    Timer(300, "idle", "Envoy stream_idle_timeout", "stream_idle_timeout", FRONT | {"gateway"}, 1100),
    Timer(300, "idle", "new-api", "STREAMING_TIMEOUT", frozenset({"gateway"})),
    Timer(300, "idle", "Node fetch (undici)", "bodyTimeout, headersTimeout of the dispatcher", APP),
    Timer(300, "total", "aiohttp", "ClientTimeout(total=…)", APP),
    Timer(300, "total", "Cloud Run", "request timeout of the service", FRONT | APP),
    Timer(300, "total", "OpenShift route", "haproxy.router.openshift.io/timeout", FRONT),
    Timer(600, "total", "openai SDK", "timeout of the client", APP),
    Timer(600, "idle", "openai SDK", "timeout of the client (read)", APP),
    Timer(600, "idle", "llama.cpp server", "--timeout", frozenset({"engine"})),
)

ROUND = (1, 2, 3, 5, 10, 15, 20, 25, 30, 45, 50, 60, 90, 100, 120, 150, 180, 240, 300, 600, 900, 1200, 1800, 3600)


def near(ms: float, seconds: float, late_ms: float = 0.0) -> bool:
    """Whether a time read here may be a timer of ``seconds``, by what is known of the measurement's error."""
    slack = max(TIMER_SLACK_MS, TIMER_SLACK * seconds * 1000)
    return -slack <= ms - seconds * 1000 <= slack + late_ms


def round_seconds(ms: float) -> float | None:
    """The round timer value that ``ms`` is, or None."""
    return next((float(s) for s in ROUND if near(ms, s)), None)


def suspects(ms: float, counts: str, kind: str) -> list[Timer]:
    """Timers of the table that fit a cut after ``ms`` at a hop of that kind; those that sit there first.

    Before the headers (``head``) every timer runs from the request on: idle and total ones fit too.
    """
    fits = [
        timer
        for timer in TIMERS
        if (counts == "head" or timer.counts == counts) and near(ms, timer.seconds, timer.late_ms)
    ]
    here = [timer for timer in fits if kind in timer.kinds]
    return here or fits
