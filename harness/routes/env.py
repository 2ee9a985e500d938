"""Routes from environment variables: the shortest way to a gateway and the backend behind it."""

from __future__ import annotations

from collections.abc import Mapping

from harness.env import Env
from harness.routes.model import Hop, Route

WIRES = ("openai", "fastgpt", "ollama")
LOCAL_MODELS = ("smollm2",)


def env_routes(values: Mapping[str, str]) -> list[Route]:
    """``gateway`` (and, with a backend, the engine inside it) and ``direct``, then the local model; [] without any.

    The hops name the variable that holds their key. Raises InputError naming each wrong variable.
    """
    env = Env(values)
    model = env.text("HARNESS_MODEL")
    engine = _hop(env, "engine", "HARNESS_BACKEND")
    gateway = _hop(env, "gateway", "HARNESS_GATEWAY")
    local = local_route(env)
    env.check()
    routes = []
    if gateway:
        routes.append(Route("gateway", (engine, gateway) if engine else (gateway,), model, origin="env"))
    if engine:
        routes.append(Route("direct", (engine,), model, origin="env"))
    return [*routes, local] if local else routes


def local_route(env: Env) -> Route | None:
    """The way to the small model that ``up`` serves on this machine, where one is asked for."""
    name = env.choice("HARNESS_LOCAL_MODEL", "", LOCAL_MODELS)
    base = f"http://127.0.0.1:{env.port('HARNESS_LOCAL_PORT', 8200)}"
    engine = Hop("engine", url=f"{base}/v1", body={"max_tokens": 512}, metrics_url=f"{base}/metrics")
    return Route(name, (engine,), model=name, origin="env") if name else None


def _hop(env: Env, kind: str, prefix: str) -> Hop | None:
    url = env.url(f"{prefix}_URL")
    wire = env.choice(f"{prefix}_WIRE", "openai", WIRES)
    key = f"{prefix}_KEY" if env.text(f"{prefix}_KEY") else ""
    return Hop(name=kind, kind=kind, wire=wire, url=url, api_key_env=key) if url else None
