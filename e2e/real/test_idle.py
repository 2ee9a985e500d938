"""The silence that real proxies allow, before the first byte and in the middle, found with its kind and its seconds."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from e2e.parts.part import Part, running_part
from e2e.parts.proxies import APACHE, CADDY, ENVOY, HAPROXY, NGINX
from harness.lab.server import running as lab_running
from harness.probe.nginx_file import read_nginx
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.idle import Limit, idle, limits_of
from harness.runs.inventory import nginx_rows

WELL = "proxy_http_version 1.1; proxy_buffering off;"
BEFORE, MIDDLE, FLOWS = "before the first byte", "in the middle", "while it flows"
SILENT = {BEFORE, MIDDLE}


def part(thing: Part, options: str, kind: str, where: set[str], seconds: float, *, matrix: bool = True, name: str):
    marks = [pytest.mark.skipif(thing.binary is None, reason=f"{thing.name} is not installed: {thing.install}")]
    return pytest.param(thing, options, kind, where, seconds, id=name, marks=marks + [pytest.mark.matrix] * matrix)


async def measured(thing: Part, options: str, up_to: float = 5) -> tuple[object, list[Limit], Route]:
    async with lab_running() as lab:
        started = running_part(thing, lab.base, options)
        item = await asyncio.to_thread(started.__enter__)
        try:
            hops = (Hop("engine", url=f"{lab.base}/v1"), Hop("front", "proxy", url=f"{item.url}/v1"))
            route = Route("r", hops, "lab-steady", Timeouts(5, 120, 600))
            answer, limits = await idle(route, up_to=up_to)
        finally:
            await asyncio.to_thread(started.__exit__, None, None, None)
    return answer, limits, route


@pytest.mark.parametrize(
    ("thing", "options", "counts", "where", "seconds"),
    [
        part(NGINX, WELL + "proxy_read_timeout 3s;", "idle", SILENT, 3, matrix=False, name="nginx proxy_read_timeout"),
        part(NGINX, "proxy_read_timeout 3s;", "idle", SILENT, 3, name="nginx, HTTP/1.0 and buffering"),
        part(NGINX, WELL + "send_timeout 2s;", "", set(), 0, name="nginx send_timeout"),
        part(HAPROXY, "timeout server 3s\n  option http-no-delay", "idle", SILENT, 3, matrix=False,
             name="HAProxy timeout server"),
        part(APACHE, "timeout=3", "idle", SILENT, 3, name="Apache ProxyPass timeout"),
        part(ENVOY, ", timeout: 3s", "total", SILENT | {FLOWS}, 3, name="Envoy route timeout"),
        part(ENVOY, ", timeout: 0s, idle_timeout: 3s", "idle", SILENT, 3, name="Envoy idle timeout"),
        part(CADDY, "transport http {\n read_timeout 3s\n }", "idle", SILENT, 3, name="Caddy read_timeout"),
    ],
)  # fmt: skip
async def test_a_real_timer_is_found_where_it_bites(
    thing: Part, options: str, counts: str, where: set[str], seconds: float
) -> None:
    answer, limits, route = await measured(thing, options)
    cut = {limit.place: limit for limit in limits if limit.seconds is not None}
    assert {limit.hop for limit in cut.values()} <= {"front"}
    assert set(cut) == where, [str(limit) for limit in limits]
    for limit in cut.values():
        assert limit.counts == counts and abs(limit.seconds - seconds) <= 1.2, str(limit)
    assert answer.verdict.first_bad_hop == ("front" if where else None)
    marked = [row for row in limits_of(route, limits) if row.shortest]
    if where:
        assert {row.hop for row in marked} == {"front"} and marked[0].source == "measured", marked


@pytest.mark.skipif(NGINX.binary is None, reason="needs nginx")
async def test_the_table_says_the_same_as_the_configuration(tmp_path: Path) -> None:
    options = WELL + "proxy_read_timeout 3s;"
    _, limits, route = await measured(NGINX, options)
    file = tmp_path / "nginx.conf"
    file.write_text(NGINX.files["nginx.conf"].replace("@GLOBAL@", "").replace("@OPTIONS@", options))
    parsed, _ = read_nginx(file)
    rows = limits_of(route, limits, nginx_rows(parsed, "front", str(file)))
    told = {(row.setting, row.counts): row for row in rows if row.hop == "front"}
    configured = told["proxy_read_timeout", "idle"]
    line = file.read_text().partition("proxy_read_timeout")[0].count("\n") + 1
    assert configured.seconds == 3 and configured.source == f"{file}:{line}"
    assert min(row.seconds for row in rows if row.shortest) <= 3
