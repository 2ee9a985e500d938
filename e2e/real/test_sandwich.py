"""A real gateway between the lab and the browser: one exchange as the lab sent it, as we read it, as it arrived.

The lab knows the truth; the exchange is found in its ledger by whatever the gateway lets through.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import ROOT, Product, ledger, product
from e2e.pages.chat import ChatPage
from e2e.parts.gateways import FORWARD, KEY, LITELLM, PORTKEY
from e2e.parts.part import Part, Running, running_part
from e2e.parts.process import free_port, running, wait_for_answer
from e2e.parts.proxies import NGINX

pytestmark = pytest.mark.asyncio(loop_scope="session")
NGINX_OPTIONS = "proxy_http_version 1.1; proxy_set_header Connection '';"
PARTS: Mapping[str, tuple[Part, str, str]] = {
    "nginx": (NGINX, NGINX_OPTIONS, ""),
    "litellm": (LITELLM, "", FORWARD),
    "portkey": (PORTKEY, "", ""),
}
TRUTH = {
    "": (True, None, None),
    "truncate at=50%": (False, "engine", "truncation"),
    "reset at=50%": (False, "engine", "reset"),
    "stall at=20 for=3s": (False, "engine", "stall"),
}
"""What the lab is told to do, and what must come out: healthy, first bad hop, symptom."""
ROUTE = """
[[route]]
name = "{name}"
model = "lab-steady"
  [[route.hop]]
  name = "engine"
  url = "{lab}/v1"
  [[route.hop]]
  name = "gateway"
  kind = "gateway"
  url = "{url}/v1"
  api_key_env = "SANDWICH_KEY"
  headers = {headers}
"""


@dataclass(frozen=True)
class Sandwich:
    scope: Product
    lab: str


def lab_alone(folder: Path) -> contextlib.AbstractContextManager[str]:
    """``manage.py lab`` on a free port, with its address."""

    @contextlib.contextmanager
    def started() -> Iterator[str]:
        folder.mkdir(parents=True, exist_ok=True)
        port, log = free_port(), folder / "lab.log"
        url = f"http://127.0.0.1:{port}"
        with running([sys.executable, "manage.py", "lab", "--port", str(port)], log, cwd=ROOT) as child:
            wait_for_answer(f"{url}/health", child, log)
            yield url

    return started()


def warm(item: Running) -> None:
    """The first answer of some gateways is seconds late; that is not what is tested here."""
    body = {"model": "lab-steady", "stream": True, "messages": [{"role": "user", "content": "[[lab events=2]]"}]}
    headers = {"content-type": "application/json", "authorization": f"Bearer {KEY}", **item.headers}
    asked = urllib.request.Request(f"{item.url}/v1/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(asked, timeout=60) as answer:
        answer.read()


def route(name: str, lab: str, item: Running) -> str:
    headers = [f"{key} = {json.dumps(value)}" for key, value in item.headers.items() if key != "authorization"]
    return ROUTE.format(name=name, lab=lab, url=item.url, headers="{" + ", ".join(headers) + "}")


@pytest.fixture(scope="module")
def sandwich(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandwich]:
    folder = tmp_path_factory.mktemp("sandwich")
    with contextlib.ExitStack() as stack:
        lab = stack.enter_context(lab_alone(folder / "lab"))
        routes = ""
        for name, (part, options, extra) in PARTS.items():
            if part.binary:
                item = stack.enter_context(running_part(part, lab, options, extra))
                warm(item)
                routes += route(name, lab, item)
        scope = stack.enter_context(product(folder / "product", routes=routes, env={"SANDWICH_KEY": KEY}))
        yield Sandwich(scope, lab)


def present(name: str) -> object:
    part = PARTS[name][0]
    missing = pytest.mark.skipif(part.binary is None, reason=f"{part.name} is not installed: {part.install}")
    return pytest.param(name, marks=missing, id=name)


def told(verdict: Mapping[str, Any]) -> tuple[object, object, object]:
    return verdict["healthy"], verdict["first_bad_hop"], verdict["symptom"]


def diagnosed(folder: Path, *taps: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The answer of the command over these captures, innermost first."""
    names = []
    for name, lines in taps:
        file = folder / f"{name}.capture.jsonl"
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
        names.append(str(file))
    return run("diagnose", *names, folder=folder)


def run(*arguments: str, folder: Path, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A command's JSON, whether it found faults (exit 1) or not (exit 0)."""
    settings = dict(os.environ) | dict(env or {"HARNESS_DATA_DIR": str(folder / "data")})
    command = [sys.executable, "manage.py", *arguments, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=180, env=settings, check=False)
    assert done.returncode in (0, 1), f"{arguments} ended with {done.returncode}:\n{done.stderr}"
    return dict(json.loads(done.stdout))


async def stored(chat: ChatPage, exchange: str) -> None:
    """Until the run is in the database with what the browser saw: it moves there after the end."""
    async with asyncio.timeout(20):
        while True:
            file = f"{chat.url}/runs/{exchange}/captures/network-path.arrive.capture.jsonl"
            if (await chat.page.request.get(file)).status == 200:
                return
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("fault", [pytest.param(fault, id=fault.partition(" ")[0] or "healthy") for fault in TRUTH])
@pytest.mark.parametrize("name", [present(name) for name in PARTS])
async def test_one_exchange_from_the_lab_to_the_browser_names_the_first_bad_hop(
    name: str, fault: str, sandwich: Sandwich, open_chat: Any, tmp_path: Path
) -> None:
    chat = await open_chat(sandwich.scope.url)
    chat.console.expected += ["ERR_INCOMPLETE_CHUNKED_ENCODING", "Failed to load resource", "network error"]
    await chat.send(name, f"Count. [[lab events=60 rate=25 {fault}]]")
    await chat.expect_end()
    exchange = await chat.exchange()
    emit = ledger(sandwich.lab, exchange)  # type: ignore[arg-type]
    assert emit[0]["exchange"] == exchange and emit[0]["tap"] == "emit"
    await stored(chat, exchange)
    read = await chat.capture(exchange, "gateway", "read")
    arrive = await chat.capture(exchange, "network-path", "arrive")
    answer = diagnosed(tmp_path, ("emit", emit), ("read", read), ("arrive", arrive))
    assert [row["tap"] for row in answer["captures"]] == ["emit", "read", "arrive"]
    assert told(answer["verdict"]) == TRUTH[fault], answer["verdict"]["summary"]


@pytest.mark.parametrize("fault", [pytest.param(fault, id=fault.partition(" ")[0] or "healthy") for fault in TRUTH])
@pytest.mark.parametrize("name", [present(name) for name in PARTS])
async def test_the_ladder_agrees_with_two_exchanges(name: str, fault: str, sandwich: Sandwich, tmp_path: Path) -> None:
    prompt = f"Count. [[lab events=60 rate=25 {fault}]]"
    answer = run("ladder", name, "--prompt", prompt, folder=tmp_path, env=sandwich.scope.env)
    assert [row["hop"] for row in answer["captures"]] == ["engine", "gateway"]
    assert told(answer["verdict"]) == TRUTH[fault], answer["verdict"]["summary"]
