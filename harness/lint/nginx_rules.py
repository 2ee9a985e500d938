"""What nginx does to a stream at one place, by the settings in force there.

Measured with nginx 1.22.1 between a 20 ms event source and an HTTP client, HTTP/1.0 and 1.1 upstream; defaults
of the version rule from nginx 1.29.7. What measurement denied (``gzip on`` alone, ``tcp_nodelay off``,
``proxy_buffering on`` before a chunked HTTP/1.1 upstream) is not reported as a fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from harness.diagnose.answer import Finding
from harness.lint.duration import seconds
from harness.lint.hint import Spot, hint
from harness.lint.nginx_scope import Scope
from harness.phrase import joined, phrase

NEW_DEFAULT = (1, 29, 7)  # from here on nginx asks the upstream over HTTP/1.1 by itself
DEFAULT = phrase(" (default)")
_EVENT_TYPES = ("text/event-stream", "application/x-ndjson", "*")


class Place:
    """A streaming scope with what several rules ask of it. ``needed``: seconds a stream may be silent."""

    def __init__(self, scope: Scope, version: tuple[int, ...] | None, needed: float) -> None:
        self.scope, self.version, self.needed = scope, version, needed
        handler = scope.handler()
        self.module = handler.name.removesuffix("_pass") if handler else "proxy"
        default = "1.1" if version is not None and version >= NEW_DEFAULT else "1.0"
        self.http = scope.value("proxy_http_version", default)
        self.buffers = self.module != "grpc" and scope.on(f"{self.module}_buffering", "on")

    def spot(self, *names: str) -> Spot:
        """Where the first of these directives that is in force stands, else the place itself."""
        for name in names:
            found = self.scope.in_force(name)
            if found is not None:
                return Spot(found.file, found.line, self.scope.place, "nginx")
        return Spot(self.scope.file, self.scope.line, self.scope.place, "nginx")

    def coded(self) -> bool:
        """Whether gzip takes event streams here."""
        types = self.scope.all_in_force("gzip_types")
        return self.scope.on("gzip") and any(kind in _EVENT_TYPES for kind in (types[-1].args if types else ()))


def buffering(p: Place) -> Iterator[Finding]:
    if not p.buffers or p.coded():
        return
    spot, name = p.spot(f"{p.module}_buffering"), f"{p.module}_buffering"
    ignored = any("X-Accel-Buffering" in d.args for d in p.scope.all_in_force(f"{p.module}_ignore_headers"))
    if p.module != "proxy":
        yield hint(
            "burst.buffering", "warning", spot,
            phrase("{name} is on: nginx collects the answer in buffers.", name=name),
            "Only X-Accel-Buffering: no from the application turns that off for its answer.", f"{name} off;",
        )  # fmt: skip
    elif p.http.startswith("1.0"):
        cause = phrase(
            "Asked over HTTP/1.0, most servers answer without chunks, and nginx then hands on only full buffers "
            "(proxy_buffer_size, 4 KB or 8 KB) and the end."
        )
        more = (
            phrase("X-Accel-Buffering: no from behind is ignored here.")
            if ignored
            else phrase(
                "An answer with X-Accel-Buffering: no is let through; another nginx in between eats that header."
            )
        )
        yield hint(
            "burst.buffering", "error", spot, "proxy_buffering is on and the upstream is asked over HTTP/1.0.",
            joined(" ", [cause, more]), "proxy_http_version 1.1; proxy_buffering off;",
            http_version=p.http, ignores_header=ignored,
        )  # fmt: skip
    elif any("ssl" in listen.args for listen in p.scope.all_in_force("listen")) or p.scope.on("ssl"):
        yield hint(
            "burst.buffering-tls", "warning", spot, "proxy_buffering is on before clients that come over TLS.",
            "Over HTTP/1.1 such a client gets nothing until a record of ssl_buffer_size (16 KB) is full or the answer "
            "ends, even from a chunked upstream; over HTTP/2 each event comes.",
            "proxy_buffering off;",
        )  # fmt: skip
    elif p.scope.value("proxy_buffering") == "on" or ignored:
        yield hint(
            "burst.buffering-depends", "info", spot, "proxy_buffering is on, over HTTP/1.1.",
            "A chunked upstream passes unharmed; one that sends Content-Length or ends by closing is held to the end.",
            "proxy_buffering off;",
        )  # fmt: skip


def coding(p: Place) -> Iterator[Finding]:
    if p.coded() and p.buffers:
        yield hint(
            "burst.gzip", "error", p.spot("gzip_types"), "gzip takes event streams, with buffering on.",
            "The compressor gives nothing out before the end of the answer.",
            "gzip off; (or proxy_buffering off;, with which nginx flushes each event)",
        )  # fmt: skip


def other_coding(p: Place) -> Iterator[Finding]:
    for coder in ("brotli", "zstd"):
        types = p.scope.all_in_force(f"{coder}_types")
        if p.buffers and p.scope.on(coder) and any(kind in _EVENT_TYPES for kind in (types[-1].args if types else ())):
            yield hint(
                "burst.coding", "warning", p.spot(f"{coder}_types"),
                phrase("{coder} takes event streams, with buffering on.", coder=coder),
                "A compressor that nobody flushes gives nothing out before its window is full or the answer ends.",
                phrase("{coder} off; or proxy_buffering off;", coder=coder),
            )  # fmt: skip


def caching(p: Place) -> Iterator[Finding]:
    zone = p.scope.value(f"{p.module}_cache", "off")
    methods = p.scope.in_force(f"{p.module}_cache_methods")
    forced = [
        d for d in p.scope.all_in_force(f"{p.module}_ignore_headers") if {"Cache-Control", "Expires"} & set(d.args)
    ]
    if zone == "off" or not (forced or p.scope.in_force(f"{p.module}_cache_valid") or methods):
        return
    yield hint(
        "content.cache", "warning", p.spot(f"{p.module}_cache"), phrase("answers are kept in cache {zone}.", zone=zone),
        "A second question that hits gets an old answer, all at once.", f"{p.module}_cache off;",
        methods=list(methods.args) if methods else ["GET", "HEAD"],
    )  # fmt: skip


def rate(p: Place) -> Iterator[Finding]:
    for name in ("limit_rate", "proxy_limit_rate"):
        value = p.scope.value(name, "0")
        if value not in ("0", "off") and p.buffers:
            yield hint(
                "burst.rate", "warning", p.spot(name),
                phrase("{name} {value} holds a stream back in steps.", name=name, value=value),
                "With buffering on, nginx sleeps between writes to keep the rate.", f"{name} 0;",
            )  # fmt: skip


def silence(p: Place) -> Iterator[Finding]:
    name = f"{p.module}_read_timeout"
    limit = seconds(p.scope.value(name, "60s"))
    if limit is None or limit >= p.needed:
        return
    default = "" if p.scope.in_force(name) else DEFAULT
    cause = phrase(
        "{name} is shorter than the {needed} s that a route allows between two reads: thinking, tool calls and "
        "queueing are silent.", name=name, needed=f"{p.needed:g}",
    )  # fmt: skip
    if p.buffers and p.http.startswith("1.0"):
        cause = joined(" ", [cause, phrase("What it had buffered is thrown away.")])
    fix = phrase(
        "{setting}; and let the application send a comment line every 15 s", setting=f"{name} {max(p.needed, 600):g}s"
    )
    cut = phrase(
        "after {limit} s of silence from behind, nginx cuts the stream{default}.", limit=f"{limit:g}", default=default
    )
    yield hint(
        "truncation.read-timeout", "warning", p.spot(name), cut, cause, fix, limit_s=limit, needed_s=p.needed,
    )  # fmt: skip


def laundering(p: Place) -> Iterator[Finding]:
    chunked = p.spot("chunked_transfer_encoding")
    if not p.scope.on("chunked_transfer_encoding", "on"):
        yield hint(
            "truncation.unseen", "warning", chunked, "chunked_transfer_encoding is off: a cut looks like an end.",
            "Without chunks the answer ends by closing, cut or whole.", "chunked_transfer_encoding on;",
        )  # fmt: skip
    if p.module == "proxy" and p.http.startswith("1.0") and not p.buffers:
        yield hint(
            "truncation.unseen", "warning", p.spot("proxy_http_version"),
            "the upstream is asked over HTTP/1.0, so a stream that it breaks off ends cleanly.",
            "Without chunks from behind, nginx cannot tell a cut from the end and closes the answer in good order.",
            "proxy_http_version 1.1;",
        )  # fmt: skip


def stopping(p: Place) -> Iterator[Finding]:
    name = f"{p.module}_ignore_client_abort"
    if p.scope.on(name):
        yield hint(
            "not-cancelled.ignored", "warning", p.spot(name), "a client that leaves is not reported to the upstream.",
            "The engine goes on making tokens that nobody reads.", f"{name} off;",
        )  # fmt: skip


def retrying(p: Place) -> Iterator[Finding]:
    name = f"{p.module}_next_upstream"
    found = p.scope.in_force(name)
    if found is not None and "non_idempotent" in found.args:
        yield hint(
            "duplicate.retry", "warning", p.spot(name), "a POST that failed is sent again to the next upstream.",
            "The first engine may be at work already: double cost, and two answers to one question.",
            f"{name} error timeout;",
        )  # fmt: skip


RULES: tuple[Callable[[Place], Iterator[Finding]], ...] = (
    buffering, coding, other_coding, caching, rate, silence, laundering, stopping, retrying,
)  # fmt: skip


def _hands_header_on(scope: Scope) -> bool:
    """Whether X-Accel-Buffering goes out from here: the application's passed on, or one of nginx's own."""
    names = ("proxy_pass_header", "add_header", "more_set_headers")
    said = [word.lower() for name in names for d in scope.all_in_force(name) for word in d.args]
    return any(word.partition(":")[0] == "x-accel-buffering" for word in said)


def two_in_a_row(p: Place, servers: Sequence[Scope]) -> Iterator[Finding]:
    """An nginx in front of another one (of these): the inner one keeps X-Accel-Buffering to itself."""
    if not p.buffers:
        return
    handler = p.scope.handler()
    target = handler.args[0] if handler is not None and handler.args else ""
    for server in servers:
        ports = [d.args[0].rpartition(":")[2] for d in server.own.get("listen", ()) if d.args]
        if not any(re.search(rf"[:/]{re.escape(port)}(?:/|$)", target) for port in ports):
            continue
        for inner in server.walk():
            if inner.handler() is not None and inner.kind == "location" and not _hands_header_on(inner):
                yield hint(
                    "burst.header-eaten", "warning", Spot(inner.file, inner.line, inner.place, "nginx"),
                    phrase(
                        "{place} in front of it never sees X-Accel-Buffering from the application.", place=p.scope.place
                    ),
                    "nginx obeys that header and does not hand it on, so the nginx in front goes on buffering.",
                    "proxy_pass_header X-Accel-Buffering; here, or proxy_buffering off; in front",
                )  # fmt: skip
                return


def socket_rule(scope: Scope, version: tuple[int, ...] | None) -> Iterator[Finding]:
    """A WebSocket needs HTTP/1.1 and both headers."""
    p = Place(scope, version, 0)
    names = {d.args[0].lower() for d in scope.all_in_force("proxy_set_header") if d.args}
    missing = [name for name in ("Upgrade", "Connection") if name.lower() not in names]
    if missing or p.http.startswith("1.0"):
        lacks = phrase("{names} is not handed on", names=joined(" and ", missing))
        why = lacks if missing else phrase("HTTP/1.0 has none")
        yield hint(
            "headers.upgrade", "warning", p.spot("proxy_set_header", "proxy_http_version"),
            "a WebSocket cannot be opened here.", phrase("The upgrade is hop by hop: {why}.", why=why),
            "proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;",
            missing=missing, http_version=p.http,
        )  # fmt: skip
