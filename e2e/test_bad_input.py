"""What users do wrong, on the page and on the command line: a clear sentence, the right code, nothing hanging."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from e2e.conftest import ROOT, Product, product

ROUTES = """
[[route]]
name = "refused"
model = "x"
  [[route.hop]]
  name = "engine"
  kind = "engine"
  url = "http://127.0.0.1:9/v1"
[[route]]
name = "unknown-model"
model = "no-such-model"
  [[route.hop]]
  name = "engine"
  kind = "engine"
  url = "LAB_URL/v1"
[[route]]
name = "not-chat"
model = "lab-steady"
  [[route.hop]]
  name = "engine"
  kind = "engine"
  url = "LAB_URL/nothing/here"
"""


@pytest.fixture(scope="module")
def scope_with_bad_routes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with product(tmp_path_factory.mktemp("bad"), routes=ROUTES) as started:
        yield started


def post(url: str, body: bytes, content_type: str = "application/json", **headers: str) -> tuple[int, bytes]:
    """POST and give (status, body), error statuses included."""
    request = urllib.request.Request(url, data=body, headers={"content-type": content_type, **headers})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def ask(route: object = "lab-steady", content: object = "hello") -> bytes:
    return json.dumps(
        {"exchange": "e2e-bad", "route": route, "messages": [{"role": "user", "content": content}]}
    ).encode()


@pytest.mark.parametrize(
    ("status", "body", "content_type"),
    [
        pytest.param(400, b"{not json", "application/json", id="malformed"),
        pytest.param(400, b"[]", "application/json", id="not-an-object"),
        pytest.param(400, ask(content=""), "application/json", id="empty-prompt"),
        pytest.param(400, ask(route=7), "application/json", id="route-is-a-number"),
        pytest.param(404, ask("nowhere"), "application/json", id="unknown-route"),
        pytest.param(404, ask("lab-steady/nowhere"), "application/json", id="unknown-hop"),
        pytest.param(413, ask(content="x" * 2_200_000), "application/json", id="above-2-MB"),
        pytest.param(415, ask(), "text/plain", id="not-json"),
        pytest.param(502, ask("refused"), "application/json", id="refused"),
        pytest.param(404, ask("unknown-model"), "application/json", id="model-unknown-upstream"),
    ],
)
def test_a_bad_request_gets_its_status_and_a_sentence(
    scope_with_bad_routes: Product, status: int, body: bytes, content_type: str
) -> None:
    got, text = post(f"{scope_with_bad_routes.url}/chat/stream", body, content_type)
    assert got == status, text
    if body != ask("unknown-model"):  # an upstream's own refusal is passed on as it is
        assert set(json.loads(text)) == {"what", "where", "do"}
        assert json.loads(text)["what"]


def test_another_sites_page_is_refused(scope: Product) -> None:
    assert post(f"{scope.url}/chat/stream", ask(), Origin="http://evil.example")[0] == 403


def test_the_wrong_method_is_405(scope: Product) -> None:
    with pytest.raises(urllib.error.HTTPError, match="405"):
        urllib.request.urlopen(f"{scope.url}/chat/stream", timeout=5)


def test_a_long_prompt_below_the_limit_is_answered(scope: Product) -> None:
    status, body = post(f"{scope.url}/chat/stream", ask(content="x" * 1_000_000))
    assert status == 200
    assert b"[DONE]" in body


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["probe", "nowhere"], id="unknown-route"),
        pytest.param(["probe"], id="no-argument"),
        pytest.param(["probe", "refused"], id="refused"),
        pytest.param(["ladder", "refused"], id="ladder-refused"),
        pytest.param(["diagnose", "/no/such/file"], id="no-such-file"),
        pytest.param(["diagnose", "manage.py"], id="not-a-capture"),
        pytest.param(["routes", "load", "/no/such/file"], id="no-such-route-file"),
        pytest.param(["no-such-command"], id="unknown-command"),
        pytest.param(["probe", "lab-steady", "--repeat", "minus"], id="repeat-not-a-number"),
    ],
)
def test_a_bad_command_line_is_one_sentence_and_exit_2(scope_with_bad_routes: Product, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], capture_output=True, text=True, cwd=ROOT, timeout=60,
        env=scope_with_bad_routes.command_env(),
    )  # fmt: skip
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert done.stderr.strip()


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("route", ["refused", "unknown-model", "not-chat"])
async def test_the_page_says_what_is_wrong(scope_with_bad_routes: Product, open_chat, route: str) -> None:
    chat = await open_chat(scope_with_bad_routes.url)
    chat.console.expected += ["502", "404"]
    await chat.send(route)
    assert await chat.expect_end() == "failed"
    shown = await chat.page.inner_text("main")
    assert "Traceback" not in shown
    assert any(word in shown.lower() for word in ("refused", "404", "not found", "model"))
