"""Products by the headers they leave, and what each needs to let a stream through. Data; recorded or from their docs.

Recorded at socket-read level: nginx 1.22, HAProxy 2.6, Caddy 2.6 and 2.11, Apache 2.4, Varnish 7.1, Squid 5.7,
lighttpd 1.4, Envoy 1.40, LiteLLM 1.108, Portkey, Express 5, Django 5.2 under daphne, uvicorn and gunicorn.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from harness.diagnose.view import View


class Product(NamedTuple):
    """``header`` matching ``mark`` names it; ``stream`` is what keeps it from holding a stream back."""

    name: str
    header: str
    mark: str
    stream: str


PRODUCTS: tuple[Product, ...] = (
    Product(
        "LiteLLM",
        "x-litellm-version",
        ".",
        "no guardrail that collects the stream; keep LiteLLM's fake streaming off for this model",
    ),
    Product("Portkey", "x-portkey-provider", ".", "no output guardrail or cache on streamed requests"),
    Product(
        "Envoy",
        "x-envoy-upstream-service-time",
        ".",
        "route timeout: 0s, stream_idle_timeout above the longest pause; no buffer filter",
    ),
    Product(
        "Caddy", "via", r"caddy", "no response_buffers; leave flush_interval unset (event streams are flushed at once)"
    ),
    Product("Varnish", "x-varnish", ".", "pipe or pass for the stream, do_stream on, do_gzip and do_esi off"),
    Product("Squid", "via", r"squid", "no store of the answer; read_timeout above the longest pause"),
    Product("Cloudflare", "cf-ray", ".", "no buffering rule on this path; a comment line at least every 90 s"),
    Product(
        "CloudFront",
        "x-amz-cf-id",
        ".",
        "origin response timeout above the longest pause; no compression of text/event-stream",
    ),
    Product(
        "nginx",
        "server",
        r"nginx|openresty|tengine",
        "proxy_buffering off (in the clear, proxy_http_version 1.1 does too); gzip_types without text/event-stream; "
        "proxy_read_timeout above the longest pause",
    ),
    Product(
        "Apache httpd",
        "server",
        r"^apache",
        "ProxyPass … flushpackets=on; no mod_deflate on event streams; ProxyTimeout above the longest pause",
    ),
    Product("lighttpd", "server", r"lighttpd", "server.stream-response-body = 2"),
    Product(
        "Next.js", "x-powered-by", r"next", "compress: false, or Cache-Control: no-transform on the stream's route"
    ),
    Product(
        "Express",
        "x-powered-by",
        r"express",
        "no compression() on event streams (filter, or Cache-Control: no-transform), or res.flush() after each write",
    ),
    Product("gunicorn", "server", r"gunicorn", "asynchronous or threaded workers; --timeout above the longest answer"),
    Product(
        "daphne", "server", r"daphne", "an async generator (a sync iterator is collected whole); no --http-timeout"
    ),
    Product("uvicorn", "server", r"uvicorn", "no GZip middleware on the stream's route; yield each event as it comes"),
)


def product_of(view: View) -> Product | None:
    """The product whose mark stands in this hop's response headers; more telling headers first."""
    if view.head is None:
        return None
    headers = dict(reversed(view.head.headers))
    for product in PRODUCTS:
        if re.search(product.mark, headers.get(product.header, ""), re.I):
            return product
    return None


def own_product(view: View, inner: View | None) -> Product | None:
    """The product of this hop itself: its mark must not stand behind it already (headers are passed on)."""
    found = product_of(view)
    behind = product_of(inner) if inner else None
    return None if found is None or (behind and behind.name == found.name) else found
