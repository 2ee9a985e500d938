"""No text makes lint fail otherwise than in one sentence."""

import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.lint.envoy import lint_envoy
from harness.lint.haproxy import lint_haproxy
from harness.lint.lines import TRAPS, lint_lines
from harness.lint.nginx import lint_nginx
from harness.lint.product import product_of
from harness.probe.nginx_file import read_nginx, write_nginx

WORDS = re.findall(
    r"\S+|\n",
    "http { server listen 80; location /v1/ ~ proxy_pass http://h:80; if ($a = b) map $a $b gzip on; gzip_types * ; "
    "proxy_http_version $v limit_rate $b; proxy_buffering } ; { include x; proxy_read_timeout 1q; \" ' \\ # \n $ "
    "frontend f backend b defaults option http-no-delay timeout server 5x use_backend no mode",
)
texts = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join) | st.text(max_size=80)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["virtual_hosts", "route_config", "routes", "route", "timeout", "x"]), inner, max_size=3
        )
    ),
    max_leaves=10,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lint") / "nginx.conf"


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(text=texts)
def test_any_text_as_nginx(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", errors="replace")
    with suppress(InputError):
        parsed, _ = read_nginx(file)
        for corrected in lint_nginx(parsed, "x")[1]:
            assert write_nginx(corrected["directives"]).startswith("location")


@given(texts)
def test_any_text_as_the_others(text: str) -> None:
    product_of(text)
    lint_haproxy(text, "x", 120)
    for product in TRAPS:
        lint_lines(text, "x", product, 120)


@given(json_values)
def test_any_value_as_envoy(value: object) -> None:
    lint_envoy(value, "x", 120)
