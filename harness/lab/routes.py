"""The routes that the lab offers: one a model, and one a gateway in front of ``lab-steady``."""

from __future__ import annotations

from harness.lab.gateways.registry import gateways
from harness.lab.scenarios import built_in
from harness.routes.model import Hop, Route

FIRST_MODELS = ("lab-steady", "lab-stall", "lab-truncate", "lab-reset", "lab-reorder")
FIRST_GATEWAYS = ("passthrough", "buffer-until-end", "racing-rewrite")


def lab_routes(base_url: str) -> list[Route]:
    """Lab routes in a fixed order: the first models, the first gateways, then all others by name."""
    base = base_url.rstrip("/")
    models, names = list(built_in()), list(gateways())
    later_models = [m for m in models if m not in FIRST_MODELS]
    later_gateways = [g for g in names if g not in FIRST_GATEWAYS]
    return [
        *(_model(base, m) for m in FIRST_MODELS),
        *(_gateway(base, g) for g in FIRST_GATEWAYS),
        *(_model(base, m) for m in later_models),
        *(_gateway(base, g) for g in later_gateways if f"lab-{g}" not in models),
    ]


def _model(base: str, name: str) -> Route:
    return Route(name, (_engine(base),), model=name, origin="lab")


def _gateway(base: str, name: str) -> Route:
    kind = gateways()[name]
    gateway = Hop("gateway", "gateway", kind.wire, f"{base}/via/{name}{kind.path}")
    return Route(f"lab-{name}", (_engine(base), gateway), model=kind.model, origin="lab")


def _engine(base: str) -> Hop:
    return Hop("engine", "engine", "openai", f"{base}/v1", metrics_url=f"{base}/metrics")
