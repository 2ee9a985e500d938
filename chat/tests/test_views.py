"""POST /chat/stream over HTTP: each refusal has its status and one clear sentence."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket

import pytest

from chat.tests.daphne import Browser, site
from harness.tests.probe.fakes import Talk, Upstream

ROUTES = {"HARNESS_BACKEND_URL": "http://127.0.0.1:1/v1"}  # a second hop, where nothing listens


@pytest.fixture(scope="module")
def app():
    with site(**ROUTES) as running:
        yield running


GOOD = {"exchange": "e-1", "route": "gateway", "messages": [{"role": "user", "content": "hi"}]}
JSON = b"content-type: application/json\r\n"


@pytest.mark.parametrize(
    ("status", "body", "head"),
    [
        (400, b"{", JSON),
        (400, b"", JSON),
        (403, GOOD, JSON + b"origin: http://evil.example\r\n"),
        (403, GOOD, JSON + b"origin: null\r\n"),
        (404, {**GOOD, "route": "nobody"}, JSON),
        (404, {**GOOD, "route": "gateway/nobody"}, JSON),
        (413, b" " * (2 * 1024 * 1024 + 1), JSON),
        (415, GOOD, b"content-type: text/plain\r\n"),
        (502, {**GOOD, "route": "gateway/engine"}, JSON),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_refusal_has_its_status_and_says_what_where_and_what_to_do(app, status, body, head):
    async with Browser(app.port, body, head=head) as browser:
        got, headers = await browser.head()
        said = await browser.json()
    assert got == status and headers["content-type"] == "application/json"
    assert set(said) == {"what", "where", "do"} and said["what"] and said["do"]


async def test_another_method_is_a_405_that_names_the_right_one(app):
    reader, writer = await asyncio.open_connection("127.0.0.1", app.port)
    writer.write(b"GET /chat/stream HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    answer = (await asyncio.wait_for(reader.read(), 10)).decode()
    writer.close()
    assert answer.startswith("HTTP/1.1 405") and "Allow: POST" in answer


async def test_an_upstream_that_is_too_late_is_a_504():
    """Its head does not come within the read timeout, or the connection, or TLS over it, is never made."""
    with socket.socket() as full, site_of_timeouts(full) as slow:
        async with Upstream(Talk.gone, sock=slow.script_socket()), Browser(slow.port, route="late") as browser:
            assert (await browser.head())[0] == 504
            assert "0.3 s" in (await browser.json())["what"]
        async with Browser(slow.port, route="full") as browser:
            assert (await browser.head())[0] == 504
            assert "no connection" in (await browser.json())["what"]
        async with Upstream(Talk.gone, sock=slow.script_socket()), Browser(slow.port, route="plain") as browser:
            assert (await browser.head())[0] == 504
            assert "no TLS handshake within 0.3 s; is this port plain" in (await browser.json())["what"]


ROUTE = """[[route]]
name = "{name}"
model = "m"
timeouts = {{ connect = 0.3, read = 0.3, total = 20 }}
  [[route.hop]]
  name = "engine"
  kind = "engine"
  url = "{scheme}://127.0.0.1:{port}/v1"
"""


@contextlib.contextmanager
def site_of_timeouts(full: socket.socket):
    """An app with the stored routes ``late``, ``plain`` (https there) and ``full`` (a listener with a full backlog)."""
    full.bind(("127.0.0.1", 0))
    full.listen(0)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            filler = stack.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
        app = stack.enter_context(site())
        late = app.upstream.getsockname()[1]
        rows = [("late", "http", late), ("full", "http", full.getsockname()[1]), ("plain", "https", late)]
        file = app.folder / "routes.toml"
        file.write_text("".join(ROUTE.format(name=name, scheme=scheme, port=port) for name, scheme, port in rows))
        app.manage("routes", "load", str(file))
        yield app


async def test_secrets_of_an_error_body_reach_the_browser_as_they_are_but_no_log(app):
    body = json.dumps({"error": "bad key sk-secret-0123456789abcdef"}).encode()

    async def script(talk: Talk) -> None:
        await talk.send(b"HTTP/1.1 401 No\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body))
        await talk.send(body)

    async with Upstream(script, sock=app.script_socket()), Browser(app.port, route="gateway/gateway") as browser:
        assert (await browser.head())[0] == 401
        assert b"sk-secret" in await browser.rest()
    assert "sk-secret" not in app.log
