"""Routes from and to plain data (parsed TOML, stored JSON), checked to the last key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from harness.capture.mask import is_secret_name
from harness.capture.model import kind_of
from harness.routes.fields import Table
from harness.routes.model import HOP_KINDS, HOP_WIRES, Hop, Route, Timeouts

ROUTE_KEYS = ("name", "model", "timeouts", "hop")
HOP_KEYS = (
    "name", "kind", "wire", "url", "api_key_env", "model", "headers", "body", "verify", "ca_file", "proxy",
    "metrics_url", "telemetry",
)  # fmt: skip
TIMEOUT_KEYS = ("connect", "read", "total")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def route_from(spec: object, where: str, number: int = 1, origin: str = "file") -> Route:
    """The route that ``spec`` describes, the ``number``-th of ``where``; raises RouteError."""
    table = Table(spec, f"{where}, route {number}", ROUTE_KEYS)
    name = table.name("name")
    table.where = f"{where}, route {name}"
    model = table.text("model")
    times = Table(table.values.get("timeouts", {}), f"{table.where}, timeouts", TIMEOUT_KEYS)
    defaults = Timeouts()
    timeouts = Timeouts(**{key: times.seconds(key, getattr(defaults, key)) for key in TIMEOUT_KEYS})
    hops = tuple(_hop(hop, table.where, index) for index, hop in enumerate(table.tables("hop"), 1))
    _check_order(table, hops)
    return Route(name, hops, model, timeouts, origin)


def _hop(spec: object, where: str, number: int) -> Hop:
    named = spec.get("name", "") if isinstance(spec, Mapping) else ""
    table = Table(spec, f"{where}, hop {named if isinstance(named, str) and named else number}", HOP_KEYS)
    told = kind_of(named) if isinstance(named, str) else "engine"
    kind = table.choice("kind", told if told in HOP_KINDS else "engine", HOP_KINDS)
    name = table.name("name", kind)
    table.where = f"{where}, hop {name}"
    return Hop(
        name=name,
        kind=kind,
        wire=table.choice("wire", "openai", HOP_WIRES),
        url=table.url("url", required=True),
        api_key_env=table.variable("api_key_env"),
        model=table.text("model"),
        headers=_headers(table),
        body=_body(table),
        verify=table.flag("verify", True),
        ca_file=table.text("ca_file"),
        proxy=table.url("proxy"),
        metrics_url=table.url("metrics_url"),
        telemetry=table.text("telemetry"),
    )


def _headers(table: Table) -> dict[str, str]:
    inner = table.values.get("headers", {})
    if not isinstance(inner, Mapping):
        table.wrong("headers", "a table of header names and texts")
    headers = Table(inner, f"{table.where}, headers", tuple(inner))
    for name in inner:
        if not _HEADER.fullmatch(name):
            headers.fail(f'"{name[:60]}" is not a header name')
        if is_secret_name(name):
            headers.fail(f'"{name}" would keep a secret in the route', "Name a variable with the key in api_key_env.")
        if not headers.text(name).isascii():
            headers.wrong(name, "ASCII text")
    return {name: headers.text(name) for name in inner}


def _body(table: Table) -> dict[str, Any]:
    body = table.values.get("body", {})
    if not isinstance(body, Mapping):
        table.wrong("body", "a table that is merged into the request")
    _check_json(table, body, "body")
    return dict(body)


def _check_json(table: Table, value: Any, path: str) -> None:
    """Dates and infinities are TOML, but cannot travel as JSON."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            _check_json(table, item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_json(table, item, f"{path}[{index}]")
    elif not isinstance(value, str | int | float) or value in (float("inf"), float("-inf")) or value != value:
        table.fail(f'"{path}" is {value}, which JSON cannot hold', "Write it as a text or a number.")


def _check_order(table: Table, hops: tuple[Hop, ...]) -> None:
    if not hops:
        table.fail("no hop", "Give at least one [[route.hop]] with a url, the engine first.")
    seen: set[str] = set()
    for index, hop in enumerate(hops):
        if hop.name in seen:
            table.fail(f'two hops are named "{hop.name}"', "Give each hop of the route its own name.")
        seen.add(hop.name)
        if hop.wire == "chat" and index == 0:
            table.fail(
                f'hop {hop.name} has wire "chat" but no hop below it', "Put the hop that the app asks before it."
            )
        if hop.wire != "chat" and index and hops[index - 1].wire == "chat":
            table.fail(
                f'hop {hop.name} has wire "{hop.wire}" outside a hop of wire "chat"',
                "Hops go from the engine outwards; what stands in front of the app speaks its wire too.",
            )


def routes_from(specs: Iterable[object], where: str) -> list[Route]:
    """Routes in their order, names unique."""
    routes: dict[str, Route] = {}
    for number, spec in enumerate(specs, 1):
        route = route_from(spec, where, number)
        if route.name in routes:
            Table({}, where, ()).fail(f'two routes are named "{route.name}"', "Give each route its own name.")
        routes[route.name] = route
    return list(routes.values())


def spec_of(route: Route) -> dict[str, Any]:
    """The route as plain data: what :func:`route_from` reads, defaults left out, no key in it."""
    spec: dict[str, Any] = {"name": route.name}
    if route.model:
        spec["model"] = route.model
    if route.timeouts != Timeouts():
        spec["timeouts"] = {key: getattr(route.timeouts, key) for key in TIMEOUT_KEYS}
    spec["hop"] = [_hop_spec(hop) for hop in route.hops]
    return spec


def _hop_spec(hop: Hop) -> dict[str, Any]:
    plain = Hop(name=hop.name)
    row = {key: getattr(hop, key) for key in HOP_KEYS}
    always = ("name", "kind", "wire", "url")
    return {key: value for key, value in row.items() if key in always or value != getattr(plain, key)}
