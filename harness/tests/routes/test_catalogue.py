"""The catalogue: order, precedence, and finding a route or a cut of it."""

from __future__ import annotations

import pytest

from harness.errors import UnknownRoute
from harness.routes.catalogue import addresses, merged, resolve
from harness.routes.model import Hop, Route

ENGINE, GATEWAY = Hop("engine", url="http://e"), Hop("gateway", "gateway", url="http://g")


def route(name: str, origin: str = "file") -> Route:
    return Route(name, (ENGINE, GATEWAY), origin=origin)


def test_environment_then_stored_then_lab_and_a_stored_route_never_hides_one_of_the_others() -> None:
    env, lab = [route("gateway", "env")], [route("lab-steady", "lab")]
    found = merged(env, [route("gateway"), route("mine"), route("lab-steady")], lab)
    assert [(r.name, r.origin) for r in found] == [("gateway", "env"), ("mine", "file"), ("lab-steady", "lab")]


def test_a_route_is_found_whole_or_cut_off_at_a_hop() -> None:
    routes = [route("a"), route("b")]
    assert resolve("b", routes) == routes[1]
    assert resolve("b/engine", routes).hops == (ENGINE,)
    assert resolve("b/gateway", routes) == routes[1]
    assert addresses(routes[0]) == ["a", "a/engine"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gatewy", "Did you mean gateway?"),
        ("zzz", "Known routes: gateway."),
        ("gateway/", "no hop ''"),
        ("gateway/app", "Its hops are: engine, gateway."),
        ("", "Known routes"),
    ],
)
def test_an_unknown_name_is_told_with_what_there_is(name: str, told: str) -> None:
    with pytest.raises(UnknownRoute) as caught:
        resolve(name, [route("gateway")])
    assert told in str(caught.value)


def test_a_long_list_of_names_is_cut() -> None:
    with pytest.raises(UnknownRoute, match=r"and 32 more \(`routes list`\)"):
        resolve("zzz", [route(f"r{i}") for i in range(40)])
