"""All timeouts, buffers and concurrency limits of a route in one table, the shortest timeout marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from harness.lint.duration import seconds
from harness.lint.nginx_scope import Scope, scopes, streaming
from harness.phrase import phrase, term
from harness.routes.model import Route
from harness.runs.known_limits import BUFFER, CONCURRENCY, KNOWN, TIMEOUT

# An nginx setting → its sort and what it counts; where several streaming places differ, each is a row.
NGINX = {
    "proxy_connect_timeout": (TIMEOUT, "head"), "proxy_read_timeout": (TIMEOUT, "idle"),
    "proxy_send_timeout": (TIMEOUT, "idle"), "send_timeout": (TIMEOUT, "idle"),
    "uwsgi_read_timeout": (TIMEOUT, "idle"), "fastcgi_read_timeout": (TIMEOUT, "idle"),
    "grpc_read_timeout": (TIMEOUT, "idle"),
    "proxy_buffering": (BUFFER, ""), "proxy_buffers": (BUFFER, ""), "proxy_buffer_size": (BUFFER, ""),
    "client_max_body_size": (BUFFER, ""), "gzip_buffers": (BUFFER, ""),
    "limit_conn": (CONCURRENCY, ""), "limit_req": (CONCURRENCY, ""), "worker_connections": (CONCURRENCY, ""),
}  # fmt: skip
# Elsewhere a line tells by its name: ``timeout server 50s``, ``ProxyTimeout 60``, ``"stream_idle_timeout": "300s"``.
_LINE = re.compile(
    r"^\s*(?:-\s*)?(?:set\s+)?[\"']?(?P<name>timeout\s+[a-z-]+|[\w./-]*?(?:timeout|_?interval|buffers?(?:[_-]?size)?|"
    r"max_?conn(?:ections)?|max_requests|workers|MaxRequestWorkers)\w*)[\"']?\s*[:=]?\s*[\"']?(?P<value>[\w.:%-]+)",
    re.I,
)
_SORTS = ((r"timeout|interval", TIMEOUT), (r"buffer", BUFFER), (r"conn|requests|workers", CONCURRENCY))
_TOTAL = re.compile(r"^timeout$|route|request_timeout|total", re.I)
# Client-side and housekeeping timers that no running answer meets.
_IDLE_ELSEWHERE = re.compile(r"keep-?alive|check|queue|shutdown|graceful|tarpit|http-request|header", re.I)


@dataclass(frozen=True, slots=True)
class Row:
    """One limit. ``seconds``: of a timeout that may cut a stream. ``source``: route, measured, FILE:LINE or a
    product's default. ``shortest``: no other timeout of the route is shorter."""

    hop: str
    sort: str
    setting: str
    value: str
    seconds: float | None
    counts: str
    source: str
    shortest: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def own_rows(route: Route) -> list[Row]:
    """What we ourselves allow, as the route says."""
    times = (("connect", "head"), ("read", "idle"), ("total", "total"))
    rows = [(name, getattr(route.timeouts, name), counts) for name, counts in times]
    return [Row("Streamscope", TIMEOUT, f"timeouts.{n}", f"{s:g} s", s, c, "route") for n, s, c in rows]


def known_rows(products: Mapping[str, str], settled: Iterable[tuple[str, str]] = ()) -> list[Row]:
    """Defaults of the product that each hop names (hop → product); ``settled``: (hop, setting) known better."""
    known = set(settled)
    return [
        Row(hop, k.sort, k.setting, k.value, k.seconds, k.counts, phrase("default of {product}", product=product))
        for hop, product in products.items()
        for k in KNOWN
        if k.product == product and (hop, k.setting) not in known
    ]


def nginx_rows(parsed: Sequence[Mapping[str, Any]], hop: str, file: str) -> list[Row]:
    """What is in force where a streamed answer passes. ``parsed``: as crossplane gives it."""
    root, found = scopes(parsed, file), {}
    for scope in streaming(root):
        for name, (sort, counts) in NGINX.items():
            directive = scope.in_force(name)
            if directive is not None:
                value = " ".join(directive.args)
                # A variable is what its map gives first.
                length = seconds(scope.value(name)) if sort == TIMEOUT else None
                place = f"{directive.file}:{directive.line}"
                found[name, place] = Row(hop, sort, name, value, length, counts, place)
    return [*found.values(), *_events(root, hop)]


def _events(root: Scope, hop: str) -> list[Row]:
    """``worker_connections`` stands in a block of its own."""
    for block in root.source["block"]:
        for item in block.get("block", ()) if block["directive"] == "events" else ():
            if item["directive"] == "worker_connections":
                place = f"{item.get('file', root.file)}:{item['line']}"
                return [Row(hop, CONCURRENCY, "worker_connections", " ".join(item["args"]), None, "", place)]
    return []


def line_rows(text: str, hop: str, file: str, unit: str = "s") -> list[Row]:
    """Settings of any other configuration whose names say what they limit. ``unit`` of bare numbers."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        found = _LINE.match(line.partition("#")[0])
        if found is None:
            continue
        name, value = found["name"], found["value"].rstrip(":")
        sort = next((sort for pattern, sort in _SORTS if re.search(pattern, name, re.I)), TIMEOUT)
        length = seconds(value, unit) if sort == TIMEOUT and not _IDLE_ELSEWHERE.search(name) else None
        if sort == TIMEOUT and length is None and seconds(value, unit) is None:
            continue
        counts = "" if sort != TIMEOUT or length is None else "head" if "connect" in name.lower() else "idle"
        counts = "total" if counts == "idle" and _TOTAL.search(name) else counts
        rows.append(Row(hop, sort, name, value, length or None, counts, f"{file}:{number}"))
    return rows


def measured_row(hop: str, place: str, cut_s: float, counts: str) -> Row:
    return Row(hop, TIMEOUT, phrase("cut {place}", place=term(place)), f"{cut_s:.1f} s", cut_s, counts, "measured")


def inventory(route: Route, rows: Iterable[Row]) -> list[Row]:
    """Our own limits and ``rows``, hop by hop from the engine outwards, the shortest timeout (but ``head``) marked."""
    order = {hop.name: place for place, hop in enumerate(route.hops)}
    table = sorted([*own_rows(route), *rows], key=lambda row: (order.get(row.hop, len(order)), _rank(row)))
    lengths = [row.seconds for row in table if row.seconds and row.counts in ("idle", "total")]
    least = min(lengths, default=None)
    marked = [row.seconds == least and row.counts in ("idle", "total") and least is not None for row in table]
    return [replace(row, shortest=mark) for row, mark in zip(table, marked, strict=True)]


def _rank(row: Row) -> int:
    return (TIMEOUT, BUFFER, CONCURRENCY).index(row.sort)
