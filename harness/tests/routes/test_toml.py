"""The routes file: read, written, and refused with file, route, key and what was expected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import RouteError
from harness.routes.model import Hop, Route, Timeouts
from harness.routes.toml import dump, parse

FASTGPT = """
[[route]]
name = "fastgpt"
model = "qwen2-7b"
timeouts = { connect = 5, total = 300.5 }
  [[route.hop]]
  name = "vllm"
  url = "http://gpu-1:8000/v1/"
  api_key_env = "VLLM_KEY"
  [[route.hop]]
  kind = "gateway"
  wire = "fastgpt"
  url = "http://gw:3000/api/v1"
  headers = { x-team = "qa" }
  body = { appId = "x", detail = true, variables = { "a b" = [1, 2.5, "z"] } }
"""


def test_a_route_is_read_with_its_defaults() -> None:
    (route,) = parse(FASTGPT)
    assert route == Route(
        "fastgpt",
        (
            Hop("vllm", "engine", "openai", "http://gpu-1:8000/v1", "VLLM_KEY"),
            Hop(
                "gateway", "gateway", "fastgpt", "http://gw:3000/api/v1", headers={"x-team": "qa"},
                body={"appId": "x", "detail": True, "variables": {"a b": [1, 2.5, "z"]}},
            ),
        ),
        "qwen2-7b",
        Timeouts(5.0, 120.0, 300.5),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind"),
    [("proxy", "proxy"), ("proxy-2", "proxy"), ("app", "app"), ("vllm", "engine"), ("client", "engine")],
)
def test_a_hop_without_a_kind_takes_it_from_its_name(name: str, kind: str) -> None:
    (route,) = parse(f'[[route]]\nname = "r"\n[[route.hop]]\nname = "{name}"\nurl = "http://h"')
    assert route.hops[0].kind == kind


names = st.text("abcXYZ09-_. 网关é\"\\'#=", min_size=1, max_size=12).map(str.strip).filter(bool)
plain = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)
values = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
hops = st.builds(
    Hop,
    name=names,
    kind=st.sampled_from(("engine", "gateway", "app", "proxy")),
    wire=st.sampled_from(("openai", "ollama")),
    url=st.just("http://h:1/v1"),
    api_key_env=st.sampled_from(("", "A_KEY")),
    model=plain,
    headers=st.dictionaries(st.sampled_from(("x-a", "x.b")), st.just("v \"'")),
    body=st.dictionaries(plain, values, max_size=3),
    verify=st.booleans(),
)
times = st.builds(Timeouts, *[st.floats(0.001, 1e6)] * 3)
ways = st.lists(hops, min_size=1, max_size=3, unique_by=lambda hop: hop.name).map(tuple)
some_routes = st.lists(st.builds(Route, names, ways, plain, times), max_size=3, unique_by=lambda route: route.name)


@given(some_routes)
def test_what_is_dumped_is_read_back(routes: list[Route]) -> None:
    assert parse(dump(routes)) == routes


OUTSIDE = "[[route.hop]]\nname='app'\nwire='chat'\nurl='http://h'\n[[route.hop]]\nname='p'\nurl='http://h'"
HOP = '[[route]]\nname = "a"\n[[route.hop]]\nurl = "http://h"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[route", "r.toml: not TOML"),
        ("route = 3", 'r.toml: "route" must be written as [[…]]'),
        ("[route]\nname = 'a'", "found a table"),
        ("rout = 1", 'Did you mean "route"?'),
        ("[[route]]\n", 'r.toml, route 1: "name" is missing'),
        ("[[route]]\nname = 'a/b'", 'without a slash or spaces at its ends, found "a/b"'),
        ("[[route]]\nname = 'a'", "r.toml, route a: no hop"),
        ("[[route]]\nname = 'a'\n[[route.hop]]\nname = 'x'", 'route a, hop x: "url" is missing'),
        ("[[route]]\nname = 'a'\nhop = [3]", "route a, hop 1: expected a table, found 3"),
        (HOP.replace("http://h", "gw:80"), "a URL such as"),
        (HOP + "kind = 'motor'", "one of engine, gateway, app, proxy"),
        (HOP + "verify = 'no'", 'true or false, found "no"'),
        (HOP + "modle = 'x'", 'Did you mean "model"?'),
        (HOP + "body = 3", "a table that is merged into the request"),
        (HOP + "body = { d = 2026-01-01 }", '"body.d" is 2026-01-01, which JSON cannot hold'),
        (HOP + "body = { d = [inf] }", '"body.d[0]" is inf'),
        (HOP + "headers = { 'a b' = 'x' }", "is not a header name"),
        (HOP + "headers = { a = 3 }", "a text of one line, found 3"),
        (HOP + 'headers = { a = "x\\r\\ny" }', "a text of one line"),
        (HOP + "[[route.hop]]\nurl = 'http://h'", 'two hops are named "engine"'),
        (HOP + HOP, 'two routes are named "a"'),
        (HOP + "wire = 'chat'", "no hop below it"),
        (HOP + OUTSIDE, "outside a hop"),
        ("[[route]]\nname = 'a'\ntimeouts = { read = true }\n" + HOP[20:], "a positive number of seconds, found true"),
        ("[[route]]\nname = 'a'\ntimeouts = { reed = 1 }\n" + HOP[20:], 'Did you mean "read"?'),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(RouteError) as caught:
        parse(text, "r.toml")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        "api_key = 'sk-secret'",
        "api_key_env = 'sk-secret'",
        "headers = { Authorization = 'sk-secret' }",
        "headers = { x-api-key = 'sk-secret' }",
    ],
)
def test_a_key_in_the_file_is_refused_and_not_repeated(line: str) -> None:
    with pytest.raises(RouteError, match=r"api_key_env|name it") as caught:
        parse(HOP + line)
    assert "sk-secret" not in str(caught.value)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(RouteError, match="user name or password") as caught:
        parse(HOP.replace("http://h", "http://me:sk-secret@h"))
    assert "sk-secret" not in str(caught.value)
