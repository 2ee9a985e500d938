"""The lab's routes."""

from __future__ import annotations

from harness.lab.routes import lab_routes
from harness.lab.scenarios import built_in


def test_the_promised_routes_come_first_and_names_are_unique() -> None:
    routes = lab_routes("http://127.0.0.1:8100/")
    names = [r.name for r in routes]
    assert names[:8] == [
        "lab-steady", "lab-stall", "lab-truncate", "lab-reset", "lab-reorder",
        "lab-passthrough", "lab-buffer-until-end", "lab-racing-rewrite",
    ]  # fmt: skip
    assert len(set(names)) == len(names)
    assert all(r.origin == "lab" for r in routes)


def test_models_have_one_hop_and_gateways_two() -> None:
    routes = {r.name: r for r in lab_routes("http://127.0.0.1:8100")}
    assert [h.name for h in routes["lab-stall"].hops] == ["engine"]
    assert routes["lab-stall"].model == "lab-stall"
    behind = routes["lab-passthrough"]
    assert [(h.name, h.kind) for h in behind.hops] == [("engine", "engine"), ("gateway", "gateway")]
    assert behind.model == "lab-steady"
    assert behind.outermost.endpoint() == "http://127.0.0.1:8100/via/passthrough/v1/chat/completions"
    assert routes["lab-fastgpt-like"].outermost.wire == "fastgpt"
    assert all(r.model in built_in() for r in routes.values())
