"""The traps of HAProxy, Envoy, Caddy, Apache, lighttpd and Varnish, and silence where they are avoided."""

import json

import pytest
import yaml

from harness.lint.duration import seconds
from harness.lint.envoy import lint_envoy
from harness.lint.haproxy import lint_haproxy
from harness.lint.lines import lint_lines
from harness.lint.product import product_of

SILENT = "truncation.read-timeout"
NO = "no option http-no-delay"
HAPROXY = """
global
  maxconn 100
defaults
  mode http
  {defaults}
frontend f
  bind :80
  {frontend}
  default_backend b
backend b
  {backend}
  server s 127.0.0.1:8000
"""


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, ["burst.no-delay"]),
        ({"defaults": "option http-no-delay"}, []),
        ({"frontend": "option http-no-delay"}, []),
        ({"backend": "option http-no-delay # flush"}, []),
        ({"defaults": "option http-no-delay", "backend": "no option http-no-delay"}, []),
        ({"defaults": "option http-no-delay", "backend": NO, "frontend": NO}, ["burst.no-delay"]),
        ({"backend": "# option http-no-delay"}, ["burst.no-delay"]),
        ({"defaults": "option http-no-delay\n  timeout server 30s"}, ["truncation.server-timeout"]),
        ({"defaults": "option http-no-delay\n  timeout server 50000"}, ["truncation.server-timeout"]),
        ({"defaults": "option http-no-delay\n  timeout server 30s", "backend": "timeout server 10m"}, []),
        (
            {"defaults": "option http-no-delay", "backend": "http-response wait-for-body time 1s"},
            ["burst.wait-for-body"],
        ),
        ({"defaults": "option http-no-delay\n  compression algo gzip"}, []),
        ({"backend": "mode tcp"}, []),
    ],
)  # fmt: skip
def test_haproxy(parts: dict[str, str], expected: list[str]) -> None:
    text = HAPROXY.format(**{"defaults": "", "frontend": "", "backend": "", **parts})
    assert product_of(text) == "HAProxy"
    assert [finding.code for finding in lint_haproxy(text, "haproxy.cfg", 120)] == expected


def envoy(manager: dict, route: dict) -> dict:
    action = {"cluster": "up", **route}
    hosts = [{"name": "all", "domains": ["*"], "routes": [{"match": {"prefix": "/"}, "route": action}]}]
    config = {"stat_prefix": "x", "route_config": {"virtual_hosts": hosts}, **manager}
    chains = [{"filters": [{"name": "envoy.filters.network.http_connection_manager", "typed_config": config}]}]
    return {"static_resources": {"listeners": [{"filter_chains": chains}]}}


@pytest.mark.parametrize(
    ("manager", "route", "expected"),
    [
        ({}, {}, ["truncation.route-timeout"]),
        ({}, {"timeout": "0s"}, []),
        ({}, {"timeout": "300s"}, ["truncation.route-timeout"]),
        ({"stream_idle_timeout": "30s"}, {"timeout": "0s"}, ["truncation.idle-timeout"]),
        ({"stream_idle_timeout": "30s"}, {"timeout": "0s", "idle_timeout": "0s"}, []),
        ({}, {"timeout": "0s", "retry_policy": {"per_try_timeout": "10s"}}, ["truncation.per-try-timeout"]),
    ],
)
def test_envoy(manager: dict, route: dict, expected: list[str]) -> None:
    config = envoy(manager, route)
    for text in (yaml.safe_dump(config), json.dumps(config)):
        assert product_of(text) == "Envoy"
        assert [finding.code for finding in lint_envoy(yaml.safe_load(text), "envoy.yaml", 120)] == expected


def test_envoys_default_is_named_with_its_figure() -> None:
    (found,) = lint_envoy(envoy({}, {}), "envoy.yaml", 120)
    assert found.severity == "error" and "15 s (default)" in found.summary and found.fix == "timeout: 0s"


def test_aliases_that_multiply_are_looked_at_once() -> None:
    bomb = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    assert lint_envoy(yaml.safe_load(bomb), "x.yaml", 120) == []


@pytest.mark.parametrize(
    ("product", "text", "expected"),
    [
        ("Caddy", ":80 {\n reverse_proxy 127.0.0.1:8000\n encode gzip\n}", []),
        ("Caddy", ":80 {\n reverse_proxy 127.0.0.1:8000 {\n  flush_interval -1\n }\n}", []),
        ("Caddy", ":80 {\n reverse_proxy h {\n  response_buffers 4KiB\n }\n}", ["burst.buffering"]),
        ("Caddy", ":80 {\n reverse_proxy h {\n  buffer_responses\n }\n}", ["burst.buffering"]),
        ("Caddy", ":80 {\n reverse_proxy h {\n  transport http {\n   read_timeout 30s\n  }\n }\n}", [SILENT]),
        ("Apache", "ProxyPass / http://h/\nTimeout 600", []),
        ("Apache", "ProxyPass / http://h/ timeout=600\nSetOutputFilter DEFLATE", []),
        ("Apache", "ProxyPass / http://h/", [SILENT]),
        ("Apache", "ProxyPass / http://h/ timeout=1", [SILENT]),
        ("Apache", "<VirtualHost *>\nProxyPass / http://h/\nProxyTimeout 30\n</VirtualHost>", [SILENT]),
        ("lighttpd", 'server.port = 80\nproxy.server = ( "" => () )', ["burst.buffering"]),
        ("lighttpd", 'server.port = 80\nproxy.server = ( "" => () )\nserver.stream-response-body = 2', []),
        ("Varnish", 'vcl 4.1;\nbackend b { .host = "h"; }', [SILENT]),
        ("Varnish", "vcl 4.1;\nbackend b { .between_bytes_timeout = 10m; .first_byte_timeout = 10m; }", []),
        ("Varnish", "vcl 4.1;\nsub vcl_backend_response { set beresp.do_stream = false; }", ["burst.buffering"]),
        ("Varnish", "vcl 4.1;\nsub vcl_backend_response { set beresp.do_gzip = true; }", ["burst.gzip"]),
        ("Varnish", "vcl 4.1;\nbackend b { .between_bytes_timeout = 1s; .first_byte_timeout = 10m; }", [SILENT]),
    ],
)  # fmt: skip
def test_products_in_which_a_line_tells(product: str, text: str, expected: list[str]) -> None:
    assert product_of(text) == product
    assert [finding.code for finding in lint_lines(text, "file", product, 120)] == expected


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [("60", "s", 60), ("60s", "s", 60), ("1m30s", "s", 90), ("50000", "ms", 50), ("0.25s", "s", 0.25),
     ("10m", "ms", 600), ("1h", "s", 3600), ("soon", "s", None), ("", "s", None), ('"5s"', "s", 5)],
)  # fmt: skip
def test_durations_are_read_in_each_products_way(text: str, unit: str, expected: float | None) -> None:
    assert seconds(text, unit) == expected


@pytest.mark.parametrize("text", ["", "hello", "root:x:0:0:root:/root:/bin/bash\n", '{"a": 1}'])
def test_other_files_are_no_proxys(text: str) -> None:
    assert product_of(text) == ""
