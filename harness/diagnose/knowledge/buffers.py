"""What collects a stream, by the marks that it leaves, and the setting that ends it. Data with sources.

Marks: a content coding that appears at the hop, a Content-Length on a stream, a size of reads, a period of reads, a
header that the hop ate. Sources: nginx 1.22 to 1.31, HAProxy 2.6, lighttpd 1.4, Caddy 2, Envoy 1.40, Apache 2.4,
Varnish 7.1 and Express recorded at socket-read level; Traefik, AWS and Next.js documentation.
"""

from __future__ import annotations

import re
from itertools import pairwise

from harness.diagnose.knowledge.products import own_product
from harness.diagnose.view import View
from harness.phrase import joined, phrase, term

NGINX = phrase("nginx: proxy_buffering off, or proxy_http_version 1.1, or X-Accel-Buffering: no from the hop behind.")
SIZES: tuple[tuple[int, str, str], ...] = (
    (4096, phrase("4 KB at a time, as nginx fills a proxy_buffer"), NGINX),
    (8192, phrase("8 KB at a time: nginx proxy_buffers, stdio"), NGINX),
    (16384, phrase("16 KB at a time: TLS records, Node stream buffers"), ""),
    (32768, phrase("32 KB at a time: a compressor's window"), ""),
    (65536, phrase("64 KB at a time: a client's read buffer"), ""),
)
"""Bytes a read, what they mean, and the fix where it is one product's."""
PERIODS: tuple[tuple[float, float, str, str], ...] = (
    (
        180,
        240,
        phrase("every 200 ms, as HAProxy does without option http-no-delay"),
        phrase("HAProxy: option http-no-delay."),
    ),
    (90, 115, phrase("every 100 ms: a periodic flush (Traefik flushInterval, Go ReverseProxy)"), ""),
)

COMPRESSES = re.compile("gzip|deflate|compress")
CODING = phrase(
    "Keep compression off event streams (allow-list of types; Cache-Control: no-transform), or flush after every event."
)
BY_KIND = {
    "proxy": phrase(
        "proxy_buffering off (or proxy_http_version 1.1) in nginx, X-Accel-Buffering: no from the hop behind; "
        "HAProxy: option http-no-delay; lighttpd: server.stream-response-body = 2; no response buffering on this route."
    ),
    "gateway": phrase(
        "Turn off response buffering or collecting (fake stream, guardrails, body policies) for streamed "
        "requests; flush after each event."
    ),
    "app": phrase(
        "Write each event as it comes and flush it: an async generator under ASGI, no GZip or body-reading "
        "middleware on this route."
    ),
    "engine": phrase(
        "Send tokens as they are made: per-step decoding for streamed requests (vLLM: --stream-interval 1)."
    ),
    "network-path": phrase(
        "A tunnel, TLS inspection or antivirus on the way collects: exclude this path, or send "
        "text/event-stream over POST."
    ),
}


def buffer_words(view: View, inner: View | None, whole: bool) -> str:
    """A clause about what buffered, from the marks in the headers and the reads."""
    marks: list[str] = []
    coding = view.header("content-encoding")
    if coding and coding != "identity" and not (inner and inner.header("content-encoding") == coding):
        marks.append(phrase("content-encoding {coding} appears here: compression without a flush", coding=coding))
    length = view.header("content-length")
    if length and not (inner and inner.header("content-length")):
        marks.append(phrase("a Content-Length on a stream: the whole body was collected first"))
    if inner and inner.header("x-accel-buffering") == "" and inner.index and view.header("x-accel-buffering") == "":
        marks.append(phrase("no X-Accel-Buffering: no reaches this hop"))
    if view.head and view.head.http.startswith("2") and inner and inner.head and not inner.head.http.startswith("2"):
        marks.append(phrase("HTTP/2 here and HTTP/1.1 behind: compare the same request over both"))
    shape = "" if whole else _shape(view)[0]
    if shape:
        marks.append(shape)
    if marks:
        return joined("; ", marks)
    return phrase("nothing was let through before the end") if whole else phrase("it lets go when a buffer fills")


def buffer_fix(view: View, inner: View | None) -> str:
    """What to change: the product that the headers name, the one that the reads look like, then the kind of hop."""
    product = own_product(view, inner)
    fixes: list[str] = (
        [phrase("{product}: {stream}.", product=product.name, stream=term(product.stream))] if product else []
    )
    shape = _shape(view)[1]
    if shape and shape.partition(":")[0] not in "".join(fixes):
        fixes.append(shape)
    coding = view.header("content-encoding")
    told = product is not None and COMPRESSES.search(product.stream)
    if coding and coding != "identity" and not (inner and inner.header("content-encoding") == coding) and not told:
        fixes.append(CODING)
    return joined(" ", fixes) or BY_KIND.get(view.kind, BY_KIND["proxy"])


def _shape(view: View) -> tuple[str, str]:
    """What the sizes or the rhythm of the reads look like, and the fix for that."""
    ends, times = view.capture.ends, view.capture.times
    sizes = [b - a for a, b in zip([0, *ends], ends, strict=False)]
    for size, words, fix in SIZES:
        if sum(1 for s in sizes if abs(s - size) <= 0.05 * size) >= max(2, 0.4 * len(sizes)):
            return words, fix
    steps = [b - a for a, b in pairwise(times)]
    for low, high, words, fix in PERIODS:
        if sum(1 for step in steps if low <= step <= high) >= max(2, 0.5 * len(steps)):
            return words, fix
    return "", ""
