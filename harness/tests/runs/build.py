"""Routes over a lab."""

from __future__ import annotations

from harness.routes.model import Hop, Route, Timeouts

SOON = Timeouts(5, 20, 60)


def through(base: str, gateway: str) -> Route:
    """The lab's healthy model, and one of its gateways in front."""
    hops = (Hop("engine", url=f"{base}/v1"), Hop("gateway", "gateway", url=f"{base}/via/{gateway}/v1"))
    return Route("r", hops, "lab-steady", SOON)
