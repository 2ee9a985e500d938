"""Routes from environment variables: the shortest way to a gateway and the backend behind it."""

from __future__ import annotations

from collections.abc import Mapping

from harness.env import Env
from harness.routes.model import Hop, Route

WIRES = ("openai", "fastgpt", "ollama")


def env_routes(values: Mapping[str, str]) -> list[Route]:
    """``gateway`` (and, with a backend, the engine inside it) and ``direct``; [] where neither URL is set.

    The hops name the variable that holds their key. Raises InputError naming each wrong variable.
    """
    env = Env(values)
    model = env.text("HARNESS_MODEL")
    engine = _hop(env, "engine", "HARNESS_BACKEND")
    gateway = _hop(env, "gateway", "HARNESS_GATEWAY")
    env.check()
    routes = []
    if gateway:
        routes.append(Route("gateway", (engine, gateway) if engine else (gateway,), model, origin="env"))
    if engine:
        routes.append(Route("direct", (engine,), model, origin="env"))
    return routes


def _hop(env: Env, kind: str, prefix: str) -> Hop | None:
    url = env.url(f"{prefix}_URL")
    wire = env.choice(f"{prefix}_WIRE", "openai", WIRES)
    key = f"{prefix}_KEY" if env.text(f"{prefix}_KEY") else ""
    return Hop(name=kind, kind=kind, wire=wire, url=url, api_key_env=key) if url else None
