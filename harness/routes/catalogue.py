"""All routes as one list, and finding one by ``ROUTE`` or ``ROUTE/HOP``."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from harness.errors import UnknownRoute
from harness.routes.model import Route

SHOWN = 8  # names in a message


def merged(env: Sequence[Route], stored: Sequence[Route], lab: Sequence[Route]) -> list[Route]:
    """Environment, stored, lab, in this order; a stored route never hides one made from the environment or the lab."""
    taken = {route.name for route in (*env, *lab)}
    return [*env, *(route for route in stored if route.name not in taken), *lab]


def resolve(name: str, routes: Sequence[Route]) -> Route:
    """The route of that name, or, for ``ROUTE/HOP``, the route cut off at that hop. Raises UnknownRoute."""
    route_name, slash, hop = name.partition("/")
    for route in routes:
        if route.name == route_name:
            return route.cut_at(hop) if slash else route
    names = [route.name for route in routes]
    near = get_close_matches(route_name, names, 1, 0.6)
    more = f" and {len(names) - SHOWN} more (`routes list`)" if len(names) > SHOWN else ""
    do = f"Did you mean {near[0]}?" if near else f"Known routes: {', '.join(names[:SHOWN]) or 'none'}{more}."
    raise UnknownRoute(f"no route is named {route_name!r}", f"route {name}", do)


def addresses(route: Route) -> list[str]:
    """Every way to name a cut of the route, the whole one first: ``fastgpt``, ``fastgpt/vllm``."""
    return [route.name, *(f"{route.name}/{hop.name}" for hop in route.hops[:-1])]
