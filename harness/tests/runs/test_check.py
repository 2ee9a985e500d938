"""A short exchange with a hop, judged: reachable, key, model, streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from harness.lab.routes import lab_routes
from harness.lab.server import serve
from harness.routes.catalogue import resolve
from harness.routes.model import Hop, Route
from harness.runs.check import HopCheck, check
from harness.tasks import start


@pytest_asyncio.fixture
async def lab() -> AsyncIterator[str]:
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    server = start(serve("127.0.0.1", 0, ready=address.set_result), "lab")
    try:
        yield await address
    finally:
        server.cancel()
        await asyncio.gather(server, return_exceptions=True)


def facts(check: HopCheck) -> tuple[bool | None, ...]:
    return check.reachable, check.auth, check.model, check.streams


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lab-steady", (True, True, True, True)),
        ("lab-page", (True, True, True, False)),
        ("lab-not-streamed", (True, True, True, False)),
        ("lab-unauthorized", (True, False, None, None)),
        ("lab-busy", (True, True, None, None)),
    ],
)
async def test_a_lab_engine_is_told_apart(name: str, expected: tuple[bool | None, ...], lab: str) -> None:
    (found,) = await check(resolve(name, lab_routes(lab)))
    assert facts(found) == expected
    assert found.good is all(expected)
    assert found.good or found.detail


async def test_every_hop_is_asked_innermost_first(lab: str) -> None:
    found = await check(resolve("lab-passthrough", lab_routes(lab)))
    assert [(c.hop, c.good) for c in found] == [("engine", True), ("gateway", True)]


async def test_a_model_that_the_engine_lacks_is_told_in_its_words(lab: str) -> None:
    (found,) = await check(Route("r", (Hop("engine", url=f"{lab}/v1"),), "no-such-model"))
    assert facts(found) == (True, True, False, None)
    assert "no-such-model" in found.detail


async def test_a_closed_port_is_not_reached(unused_tcp_port: int) -> None:
    (found,) = await check(Route("r", (Hop("engine", url=f"http://127.0.0.1:{unused_tcp_port}/v1"),), "m"))
    assert facts(found) == (False, None, None, None) and "refused" in found.detail


async def test_a_key_variable_that_is_not_set_is_named(lab: str) -> None:
    route = Route("r", (Hop("engine", url=f"{lab}/v1", api_key_env="NOT_SET_KEY"),), "lab-unauthorized")
    (found,) = await check(route, {})
    assert found.auth is False and "NOT_SET_KEY is not set" in found.detail
