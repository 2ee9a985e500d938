"""A real engine and a real proxy: llama.cpp with a toy model behind nginx, and nginx in front of the app."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from e2e.conftest import Product, manage, product
from e2e.parts.llama import busy_slots, llama
from e2e.parts.nginx import BUFFERING, MISSING, STREAMING, installed, nginx
from e2e.parts.toy_model import write_toy_model

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(not installed(), reason=MISSING),
]

ENGINE_BEHIND_NGINX = """
[[route]]
name = "toy"
model = "toy"
  [[route.hop]]
  name = "llama"
  kind = "engine"
  wire = "openai"
  url = "{engine}/v1"
  body = {{ max_tokens = {tokens}, logit_bias = [[2, false]] }}
  [[route.hop]]
  name = "nginx"
  kind = "proxy"
  wire = "openai"
  url = "{proxy}/v1"
  body = {{ max_tokens = {tokens}, logit_bias = [[2, false]] }}
"""

APP_BEHIND_NGINX = """
[[route]]
name = "front"
model = "lab-steady"
  [[route.hop]]
  name = "engine"
  kind = "engine"
  wire = "openai"
  url = "{lab}/v1"
  [[route.hop]]
  name = "app"
  kind = "app"
  wire = "chat"
  url = "{web}"
  [[route.hop]]
  name = "proxy"
  kind = "proxy"
  wire = "chat"
  url = "{proxy}"
"""


@dataclass(frozen=True)
class Stack:
    scope: Product
    engine: str


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("real")
    model = write_toy_model(folder / "toy.gguf")
    with llama(folder / "llama", model) as engine, nginx(folder / "nginx", engine, STREAMING) as proxy:
        routes = ENGINE_BEHIND_NGINX.format(engine=engine, proxy=proxy, tokens=200)
        routes += ENGINE_BEHIND_NGINX.format(engine=engine, proxy=proxy, tokens=3500).replace('"toy"', '"long"', 1)
        with product(folder / "product", routes=routes) as scope:
            yield Stack(scope, engine)


def ladder(scope: Product, route: str, want: int) -> dict:
    return json.loads(manage("ladder", route, "--format", "json", env=scope.env, want=want))


async def test_a_chat_with_a_real_engine_behind_nginx_is_healthy(stack: Stack, open_chat) -> None:
    chat = await open_chat(stack.scope.url)
    await chat.send("toy", "Tell me of the river.")
    assert await chat.expect_end() == "done"
    assert len((await chat.text()).split()) >= 100
    await chat.expect_verdict("healthy")


async def test_probe_and_ladder_find_a_real_engine_behind_nginx_healthy(stack: Stack) -> None:
    answer = json.loads(manage("probe", "toy/llama", "--format", "json", env=stack.scope.env))
    assert answer["verdict"]["healthy"] is True
    answer = ladder(stack.scope, "toy", want=0)
    assert [row["hop"] for row in answer["captures"]] == ["llama", "nginx"]
    assert answer["captures"][0]["text_chars"] > 0


async def test_stop_frees_the_slot_of_a_real_engine(stack: Stack, open_chat) -> None:
    chat = await open_chat(stack.scope.url)
    await chat.send("long", "Tell me of the river.")
    await chat.expect_state("streaming")
    assert busy_slots(stack.engine) == 1
    await chat.stop_button.click()
    assert await chat.expect_end() == "stopped"
    async with asyncio.timeout(5):
        while busy_slots(stack.engine):  # noqa: ASYNC110 - the slot is another process's; it can only be asked
            await asyncio.sleep(0.02)


async def test_a_buffering_nginx_in_front_of_the_app_is_named(scope: Product, tmp_path: Path) -> None:
    with nginx(tmp_path / "nginx", scope.url, BUFFERING) as proxy:
        (tmp_path / "routes.toml").write_text(APP_BEHIND_NGINX.format(lab=scope.lab, web=scope.url, proxy=proxy))
        manage("routes", "load", str(tmp_path / "routes.toml"), env=scope.env)
        answer = ladder(scope, "front", want=1)
    assert answer["verdict"]["first_bad_hop"] == "proxy"
    assert answer["verdict"]["symptom"] == "burst"


async def test_a_streaming_nginx_in_front_of_the_app_is_healthy(scope: Product, tmp_path: Path) -> None:
    with nginx(tmp_path / "nginx", scope.url, STREAMING) as proxy:
        (tmp_path / "routes.toml").write_text(APP_BEHIND_NGINX.format(lab=scope.lab, web=scope.url, proxy=proxy))
        manage("routes", "load", str(tmp_path / "routes.toml"), env=scope.env)
        assert ladder(scope, "front", want=0)["verdict"]["healthy"] is True


async def test_a_gateway_that_buffers_is_named(scope: Product) -> None:
    answer = ladder(scope, "lab-buffer-until-end", want=1)
    assert (answer["verdict"]["first_bad_hop"], answer["verdict"]["symptom"]) == ("gateway", "burst")


async def test_a_stall_behind_a_good_gateway_belongs_to_the_engine(scope: Product, tmp_path: Path) -> None:
    route = APP_BEHIND_NGINX.split('  [[route.hop]]\n  name = "app"')[0].format(lab=scope.lab)
    route = route.replace('"front"', '"stalled"').replace("lab-steady", "lab-stall")
    route += f'  [[route.hop]]\n  name = "gateway"\n  kind = "gateway"\n  url = "{scope.lab}/via/passthrough/v1"\n'
    (tmp_path / "routes.toml").write_text(route)
    manage("routes", "load", str(tmp_path / "routes.toml"), env=scope.env)
    answer = ladder(scope, "stalled", want=1)
    assert (answer["verdict"]["first_bad_hop"], answer["verdict"]["symptom"]) == ("engine", "stall")
