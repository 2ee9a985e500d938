"""A ladder through a real nginx, and what nginx's own logs say of each exchange."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.conftest import Product, manage, product
from e2e.parts import nginx

ROUTES = """
[[route]]
name = "{model}"
model = "{model}"
  [[route.hop]]
  name = "engine"
  kind = "engine"
  url = "LAB_URL/v1"
  [[route.hop]]
  name = "nginx"
  kind = "proxy"
  url = "{proxy}/v1"
"""
QUICK_TIMER = nginx.STREAMING + " proxy_read_timeout 1s;"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, Path]]:
    if not nginx.installed():
        pytest.fail(nginx.MISSING)
    folder = tmp_path_factory.mktemp("logs")
    with product(folder / "product") as started, nginx.nginx(folder / "nginx", started.lab, QUICK_TIMER) as proxy:
        text = "".join(ROUTES.format(model=model, proxy=proxy) for model in ("lab-steady", "lab-stall"))
        named = text.replace('name = "lab-', 'name = "real-').replace("LAB_URL", started.lab)
        (folder / "routes.toml").write_text(named)
        manage("routes", "load", str(folder / "routes.toml"), env=started.env)
        yield started, folder / "nginx"


def ladder(bench: tuple[Product, Path], route: str, want: int) -> dict:  # type: ignore[type-arg]
    started, logs = bench
    words = ["--log", f"nginx={logs}/access.log", "--log", f"nginx={logs}/error.log", "--format", "json"]
    return dict(json.loads(manage("ladder", route, *words, env=started.env, want=want)))


def test_a_healthy_exchange_is_found_in_the_access_log(bench: tuple[Product, Path]) -> None:
    answer = ladder(bench, "real-steady", want=0)
    access = answer["logs"][0]
    (line,) = [line for line in access["lines"] if line["fields"].get("status") == "200"]
    assert access["format"] == "nginx access" and "/v1/chat/completions" in line["text"]
    end = next(row["timing"]["e2e_ms"] for row in answer["captures"] if row["hop"] == "nginx")
    assert end - 1500 <= line["after_ms"] <= end + 1500  # nginx writes whole seconds


def test_the_error_log_says_why_nginx_cut_the_stream(bench: tuple[Product, Path]) -> None:
    answer = ladder(bench, "real-stall", want=1)
    assert (answer["verdict"]["first_bad_hop"], answer["verdict"]["symptom"]) == ("nginx", "truncation")
    said = [line for log in answer["logs"] for line in log["lines"] if line["means"]]
    assert any("upstream timed out" in line["text"] and "proxy_read_timeout" in line["means"] for line in said)
