"""``make run MODEL=smollm2``: a real model on this machine as a route, for people without a GPU."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import manage, product
from e2e.parts.process import free_port
from e2e.real.test_llama import smollm2

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.matrix,
    pytest.mark.skipif(smollm2() is None, reason="SmolLM2 is not installed: .ci/parts-real smollm2"),
]


async def test_the_small_model_answers_in_the_chat_and_ends_with_the_product(open_chat: Any, tmp_path: Path) -> None:
    port = free_port()
    local = {"HARNESS_LOCAL_MODEL": "smollm2", "HARNESS_LOCAL_PORT": str(port)}
    with product(tmp_path, env=local) as scope:
        rows = json.loads(manage("routes", "list", "--format", "json", env=scope.env))
        assert "smollm2" in json.dumps(rows)
        chat = await open_chat(scope.url)
        await chat.send("smollm2", "Say in one short sentence what a river is.")
        assert await chat.expect_end() == "done"
        await chat.expect_verdict("healthy")
        assert "river" in (await chat.text()).lower()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0, "the engine outlived the product"
