"""Who may ask: which names the web answers to, and which origins may change something."""

from __future__ import annotations

import json

import pytest

from harness.pages.guard import host_allowed, refusal, same_origin
from harness.tests.pages.asking import ask

OURS = ["127.0.0.1:8000", "[::1]:8000", "10.1.2.3", "localhost:1", "app.localhost", "app", "gpu-1:80", "QA.Example.org"]


@pytest.mark.parametrize("host", [*OURS, ""])
def test_addresses_names_without_a_dot_and_named_hosts_are_ours(host: str) -> None:
    assert host_allowed(host, ["qa.example.org"])


@pytest.mark.parametrize("host", ["evil.com", "127.0.0.1.evil.com", "localhost.evil.com:8000", "[bad", "evil.com."])
def test_a_public_name_that_nobody_named_is_not_ours(host: str) -> None:
    assert not host_allowed(host, ["qa.example.org"])


@pytest.mark.parametrize(
    ("headers", "fine"),
    [
        ({"host": "h:1"}, True),
        ({"host": "h:1", "origin": "http://h:1"}, True),
        ({"host": "h:1", "origin": "http://h:2"}, False),
        ({"host": "h:1", "origin": "null"}, False),
        ({"host": "h:1", "origin": "http://evil.com"}, False),
        ({"host": "up", "origin": "https://qa", "x-forwarded-host": "qa"}, True),
        ({"host": "up", "origin": "https://qa", "sec-fetch-site": "same-origin"}, True),
        ({"host": "h:1", "origin": "http://h:1", "sec-fetch-site": "cross-site"}, False),
        ({"host": "up", "origin": "https://qa.example.org"}, True),
    ],
)
def test_an_origin_is_ours_when_host_proxy_or_browser_say_so(headers: dict[str, str], fine: bool) -> None:
    assert same_origin(headers, ["qa.example.org"]) is fine


def test_a_foreign_page_may_look_but_not_post() -> None:
    headers = {"host": "h", "origin": "http://evil.com"}
    assert refusal("GET", headers, []) is None
    refused = refusal("POST", headers, [])
    assert refused and refused[0] == 403


async def test_a_refusal_says_what_where_and_what_to_do() -> None:
    foreign = await ask("/healthz", host="evil.com:8000")
    assert foreign.status == 400
    assert json.loads(foreign.body) == {
        "what": "evil.com is not a name of this server", "where": "Host header", "do": "Add it to HARNESS_HOSTS.",
    }  # fmt: skip
    posted = await ask("/healthz", "POST", origin="http://evil.com")
    assert posted.status == 403 and set(json.loads(posted.body)) == {"what", "where", "do"}
