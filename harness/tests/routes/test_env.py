"""Routes from the environment."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.routes.env import env_routes

GATEWAY = {"HARNESS_GATEWAY_URL": "http://gw:3000/api/v1/", "HARNESS_GATEWAY_WIRE": "fastgpt", "HARNESS_MODEL": "m"}
BACKEND = {"HARNESS_BACKEND_URL": "http://gpu:8000/v1", "HARNESS_BACKEND_KEY": "sk-secret"}


def shape(values: dict[str, str]) -> dict[str, list[tuple[str, str, str, str]]]:
    return {r.name: [(h.name, h.wire, h.url, h.api_key_env) for h in r.hops] for r in env_routes(values)}


def test_nothing_set_makes_no_route() -> None:
    assert env_routes({"HARNESS_MODEL": "m", "HARNESS_GATEWAY_KEY": "k"}) == []


def test_a_gateway_alone_is_a_route_of_one_hop() -> None:
    assert shape(GATEWAY) == {"gateway": [("gateway", "fastgpt", "http://gw:3000/api/v1", "")]}


def test_a_backend_is_the_engine_inside_and_a_route_of_its_own() -> None:
    engine = ("engine", "openai", "http://gpu:8000/v1", "HARNESS_BACKEND_KEY")
    gateway = ("gateway", "fastgpt", "http://gw:3000/api/v1", "")
    assert shape(GATEWAY | BACKEND) == {"gateway": [engine, gateway], "direct": [engine]}
    assert {route.model for route in env_routes(GATEWAY | BACKEND)} == {"m"}


def test_a_backend_alone_is_direct() -> None:
    assert list(shape(BACKEND)) == ["direct"]


def test_the_key_itself_never_enters_a_route() -> None:
    assert "sk-secret" not in repr(env_routes(GATEWAY | BACKEND))


def test_every_wrong_variable_is_named() -> None:
    with pytest.raises(InputError, match=r"HARNESS_BACKEND_URL='gpu'.*HARNESS_GATEWAY_WIRE='grpc' is not one of"):
        env_routes({**GATEWAY, "HARNESS_GATEWAY_WIRE": "grpc", "HARNESS_BACKEND_URL": "gpu"})


def test_a_local_model_is_a_route_of_its_name_after_the_others() -> None:
    local = {"HARNESS_LOCAL_MODEL": "smollm2", "HARNESS_LOCAL_PORT": "9200"}
    assert list(shape(BACKEND | local)) == ["direct", "smollm2"]
    assert shape(local)["smollm2"] == [("engine", "openai", "http://127.0.0.1:9200/v1", "")]


def test_an_unknown_local_model_is_named() -> None:
    with pytest.raises(InputError, match="HARNESS_LOCAL_MODEL"):
        env_routes({"HARNESS_LOCAL_MODEL": "gpt-9"})
