"""Lint configurations in which one line tells enough: Caddyfile, Apache, lighttpd, Varnish, ingress-nginx, Istio.

Measured: Caddy 2.6 and 2.11 (``encode gzip`` and ``flush_interval`` do no harm), Apache 2.4 (mod_deflate and
mod_buffer do none), lighttpd 1.4.69 (buffers all by default), Varnish 7.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.diagnose.answer import Finding
from harness.lint.duration import seconds
from harness.lint.hint import Spot, hint
from harness.lint.vcl import spares_events
from harness.phrase import filled, phrase

VARNISH_S = 60.0  # seconds of silence that Varnish allows by default
TOTAL_S = 60.0  # seconds within which many an answer is still running
UNTOLD = phrase("Without chunks from behind, a cut cannot be told from the end of the answer.")
HELD = phrase("The proxy collects the answer before it hands it on.")


@dataclass(frozen=True, slots=True)
class Trap:
    """A line that does harm. ``limit``: the pattern's group 1 is a time limit, harmful when shorter than needed;
    ``total``: it counts until the end of the answer, so that any is harmful, whatever is needed between two reads."""

    pattern: re.Pattern[str]
    code: str
    severity: str
    summary: str
    fix: str
    limit: bool = False
    total: bool = False


def _trap(
    pattern: str, code: str, severity: str, summary: str, fix: str, limit: bool = False, total: bool = False
) -> Trap:
    return Trap(re.compile(pattern, re.I), code, severity, summary, fix, limit, total)


_SILENT = "truncation.read-timeout"
TRAPS: dict[str, tuple[Trap, ...]] = {
    "Caddy": (
        _trap(r"^\s*(?:response_buffers|buffer_responses)\b(?!\s+0\b)", "burst.buffering", "error",
              "response buffers are on.", "Remove it"),
        _trap(r"^\s*(?:read_timeout|response_header_timeout)\s+(\S+)", _SILENT, "warning",
              "the upstream may be silent for {limit} s only.", "read_timeout 10m", limit=True),
        _trap(r"^\s*write\s+(\d\S*)", "truncation.total", "warning",
              "the server's write timeout ends every answer after {limit} s.", "write 0, or longer than any answer",
              limit=True),
    ),
    "Apache": (
        _trap(r"^\s*ProxyPass(?:Match)?\s.*\btimeout=(\d+)", _SILENT, "warning",
              "the upstream may be silent for {limit} s only.", "timeout=600 on ProxyPass", limit=True),
        _trap(r"^\s*(?:BalancerMember|ProxySet)\s.*\btimeout=(\d+)", _SILENT, "warning",
              "the upstream may be silent for {limit} s only.", "timeout=600", limit=True),
        _trap(r"^\s*ProxyTimeout\s+(\S+)", _SILENT, "warning",
              "the upstream may be silent for {limit} s only.", "ProxyTimeout 600", limit=True),
        _trap(r"^\s*SetEnv(?:If\w*)?\s.*\bforce-proxy-request-1\.0", "truncation.unseen", "warning",
              "the upstream is asked over HTTP/1.0: a stream that it breaks off ends cleanly.", "Remove it"),
    ),
    "lighttpd": (),
    "Varnish": (
        _trap(r"beresp\.do_stream\s*=\s*false", "burst.buffering", "error", "do_stream is false.",
              "set beresp.do_stream = true;"),
        _trap(r"beresp\.do_gzip\s*=\s*true", "burst.gzip", "error", "do_gzip collects the answer.",
              "set beresp.do_gzip = false; for text/event-stream"),
        _trap(r"\.(?:between_bytes_timeout|first_byte_timeout)\s*=\s*(\w+)", _SILENT, "warning",
              "the backend may be silent for {limit} s only.", "10m", limit=True),
    ),
    "ingress-nginx": (
        _trap(r"kubernetes\.io/proxy-read-timeout[\"']?\s*:\s*[\"']?(\w+)", _SILENT, "warning",
              "the upstream may be silent for {limit} s only.", 'proxy-read-timeout: "600"', limit=True),
        _trap(r"kubernetes\.io/proxy-buffering[\"']?\s*:\s*[\"']?on\b", "burst.buffering-depends", "info",
              "proxy-buffering is on.", 'proxy-buffering: "off", the default here'),
        _trap(r"kubernetes\.io/proxy-http-version[\"']?\s*:\s*[\"']?1\.0", "truncation.unseen", "warning",
              "the upstream is asked over HTTP/1.0: a stream that it breaks off ends cleanly.",
              'proxy-http-version: "1.1", the default here'),
    ),
    "Istio": (
        _trap(r"^\s*(?:-\s*)?[\"']?timeout[\"']?:\s*[\"']?([\w.]+)", "truncation.route-timeout", "error",
              "every stream is cut at {limit} s.", "timeout: 0s", limit=True, total=True),
        _trap(r"^\s*[\"']?perTryTimeout[\"']?:\s*[\"']?([\w.]+)", "truncation.per-try-timeout", "warning",
              "a try is given up after {limit} s.", "Remove perTryTimeout", limit=True, total=True),
    ),
}  # fmt: skip


def lint_lines(text: str, file: str, product: str, needed: float) -> list[Finding]:
    """Findings of the product's traps, one a line."""
    found: list[Finding] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = re.sub(r"(?:^|\s)#.*", "", raw)
        for trap in TRAPS[product]:
            hit = trap.pattern.search(line)
            if hit and not (product == "Varnish" and not trap.limit and spares_events(text, number, hit.start())):
                found += _judge(trap, hit, Spot(file, number, "", product), needed)
    return found + list(_absent(text, file, product, needed))


def _judge(trap: Trap, hit: re.Match[str], spot: Spot, needed: float) -> Iterator[Finding]:
    if not trap.limit:
        cause = UNTOLD if trap.code == "truncation.unseen" else HELD
        yield hint(trap.code, trap.severity, spot, trap.summary, cause, trap.fix)
        return
    limit = seconds(hit[1])
    if trap.total and limit:
        cause = phrase("It counts until the end of the answer, however well it flows.")
        summary = filled(trap.summary, {"limit": f"{limit:g}"})
        severity = trap.severity if limit <= TOTAL_S else "warning"
        yield hint(trap.code, severity, spot, summary, cause, trap.fix, limit_s=limit)
    elif limit is not None and 0 < limit < needed:
        cause = phrase(
            "That is shorter than the {needed} s that a route allows between two reads.", needed=f"{needed:g}"
        )
        summary = filled(trap.summary, {"limit": f"{limit:g}"})
        yield hint(trap.code, trap.severity, spot, summary, cause, trap.fix, limit_s=limit, needed_s=needed)


def _absent(text: str, file: str, product: str, needed: float) -> Iterator[Finding]:
    """Harm that comes from a line that is not there."""
    spot = Spot(file, 0, "", product)
    streams = re.search(r"^\s*server\.stream-response-body\s*=\s*[12]\b", text, re.M)
    if product == "lighttpd" and "proxy.server" in text and not streams:
        yield hint(
            "burst.buffering", "error", spot, "the whole answer is collected (server.stream-response-body is 0).",
            "lighttpd's default; it also turns a broken upstream into a whole answer with a Content-Length.",
            "server.stream-response-body = 2",
        )  # fmt: skip
    if product == "Varnish" and re.search(r"^\s*backend\s", text, re.M) and needed > VARNISH_S:
        timers = ("between_bytes_timeout", "first_byte_timeout")
        unset = [name for name in timers if not re.search(rf"\b{name}\s*=", text)]
        if unset:
            yield hint(
                _SILENT, "warning", spot, phrase("the backend may be silent for 60 s only ({names}).", names=unset),
                phrase("The default is shorter than the {needed} s that a route allows.", needed=f"{needed:g}"),
                "; ".join(f".{name} = 600s" for name in unset), limit_s=VARNISH_S, needed_s=needed,
            )  # fmt: skip
    handed_on = r"^\s*(?:ProxyPass|BalancerMember\s|RewriteRule\s.*\[(?:[^\]]*,)?P[,\]]|SetHandler\s+\"?proxy:)"
    if product == "Apache" and re.search(handed_on, text, re.M | re.I):
        named = re.search(
            r"^\s*(?:ProxyTimeout\s|(?:ProxyPass\S*|BalancerMember|ProxySet)\s.*\btimeout=)", text, re.M | re.I
        )
        found = re.search(r"^\s*Timeout\s+(\d+)", text, re.M | re.I)
        limit = float(found[1]) if found else 60.0
        if not named and limit < needed:
            yield hint(
                _SILENT, "warning", spot,
                phrase("the upstream may be silent for {limit} s only (Timeout).", limit=f"{limit:g}"),
                phrase(
                    "Without ProxyTimeout, Timeout rules: shorter than the {needed} s that a route allows.",
                    needed=f"{needed:g}",
                ),
                "ProxyTimeout 600", limit_s=limit, needed_s=needed,
            )  # fmt: skip
