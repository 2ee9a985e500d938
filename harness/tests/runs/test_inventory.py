"""A route's limits in one table: from the route, configurations, products' defaults and measurement."""

from __future__ import annotations

import pytest

from harness.probe.nginx_file import read_nginx
from harness.routes.model import Hop, Route, Timeouts
from harness.runs.idle import Limit, limits_of
from harness.runs.inventory import inventory, known_rows, line_rows, nginx_rows

ROUTE = Route("r", (Hop("engine"), Hop("one-api", "gateway"), Hop("front", "proxy")), "m", Timeouts(10, 120, 600))
NGINX = """
events { worker_connections 1024; }
http {
  proxy_read_timeout 90s;
  server {
    location /static/ { proxy_pass http://a; proxy_read_timeout 5s; }
    location /v1/ { proxy_pass http://a; proxy_buffering off; proxy_connect_timeout 3s; }
  }
}
"""


def limit(hop: str, product: str = "", seconds: float | None = None) -> Limit:
    counts = "idle" if seconds else None
    return Limit(hop, "in the middle", 65, seconds, 0.1, counts, (), True, "truncated", product)


def shortest(rows):
    return [(row.hop, row.setting) for row in rows if row.shortest]


def test_the_route_s_own_timeouts_stand_outside_and_the_shortest_that_can_cut_is_marked():
    rows = inventory(ROUTE, [])
    assert [(r.setting, r.seconds) for r in rows] == [
        ("timeouts.connect", 10), ("timeouts.read", 120), ("timeouts.total", 600),
    ]  # fmt: skip
    assert shortest(rows) == [("Streamscope", "timeouts.read")]


def test_products_are_told_by_headers_and_by_names_and_give_their_defaults():
    rows = limits_of(ROUTE, [limit("engine"), limit("one-api"), limit("front", "nginx")])
    by_hop = {row.hop: row.source for row in rows}
    assert by_hop == {"one-api": "default of one-api", "front": "default of nginx", "Streamscope": "route"}
    assert {row.sort for row in rows if row.hop == "front"} == {"timeout", "buffer", "concurrency"}
    assert ("front", "proxy_read_timeout") in shortest(rows)


def test_headers_that_a_hop_passes_on_are_not_its_own():
    rows = limits_of(ROUTE, [limit("engine", "nginx"), limit("one-api", "nginx"), limit("front", "nginx")])
    assert {row.hop for row in rows if row.source == "default of nginx"} == {"engine"}


def test_what_is_in_force_at_the_streaming_place_replaces_the_default(tmp_path):
    file = tmp_path / "nginx.conf"
    file.write_text(NGINX)
    parsed, _ = read_nginx(file)
    set_there = nginx_rows(parsed, "front", str(file))
    assert {(r.setting, r.value) for r in set_there} == {
        ("proxy_read_timeout", "90s"), ("proxy_connect_timeout", "3s"), ("proxy_buffering", "off"),
        ("worker_connections", "1024"),
    }  # fmt: skip
    assert all(str(file) in row.source for row in set_there)
    rows = limits_of(ROUTE, [limit("front", "nginx")], set_there)
    reads = [row for row in rows if row.hop == "front" and row.setting == "proxy_read_timeout"]
    assert [(row.seconds, row.value) for row in reads] == [(90, "90s")]
    assert shortest(rows) == [("front", "send_timeout")]


@pytest.mark.parametrize(
    ("text", "unit", "found"),
    [
        ("defaults\n  timeout connect 5s\n  timeout server 50000\n  timeout check 1s\n  maxconn 200\n", "ms",
         [("timeout connect", 5.0, "head"), ("timeout server", 50.0, "idle"), ("timeout check", None, ""),
          ("maxconn", None, "")]),
        ("routes:\n- timeout: 15s\n  stream_idle_timeout: 300s\n", "s",
         [("timeout", 15.0, "total"), ("stream_idle_timeout", 300.0, "idle")]),
        ("ProxyTimeout 45 # short\nProxyIOBufferSize 8192\n", "s",
         [("ProxyTimeout", 45.0, "idle"), ("ProxyIOBufferSize", None, "")]),
    ],
    ids=["haproxy", "envoy", "apache"],
)  # fmt: skip
def test_other_configurations_tell_by_the_names_of_their_settings(text, unit, found):
    assert [(r.setting, r.seconds, r.counts) for r in line_rows(text, "front", "f", unit)] == found


def test_a_measured_cut_is_a_row_and_can_be_the_shortest():
    rows = limits_of(ROUTE, [limit("front", "nginx", 7.5)])
    assert shortest(rows) == [("front", "cut in the middle")]


def test_no_default_is_told_of_a_product_that_nobody_named():
    assert known_rows({"engine": "unheard of"}) == []
