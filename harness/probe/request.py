"""What one exchange asks for: URL, headers and body, from a route, a hop and the messages."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.capture.model import Headers
from harness.errors import RouteError
from harness.routes.model import Hop, Route

Messages = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that is ready to be sent. ``headers`` hold the key in clear: mask them before they are kept."""

    url: str
    headers: Headers
    body: dict[str, Any]
    wire: str  # of the answer: a ``chat`` hop passes on the wire inside


def api_hop(route: Route) -> Hop:
    """The outermost hop that speaks a model's API: what our own app asks. :class:`RouteError` when there is none."""
    for hop in reversed(route.hops):
        if hop.wire != "chat":
            return hop
    raise RouteError(f"route {route.name} has no hop that speaks a model's API", do="Add one of wire openai to it.")


def ask(
    route: Route,
    hop: Hop,
    messages: Messages,
    *,
    exchange_id: str,
    stream: bool = True,
    probing: bool = False,
    body_extra: Mapping[str, Any] | None = None,
) -> Ask:
    """The request for ``hop``. ``probing`` adds our own sampling parameters, which a chat never gets."""
    headers = {
        "content-type": "application/json",
        "accept": "text/event-stream" if stream else "application/json",
        "accept-encoding": "identity",
        "user-agent": "streamscope",
        "x-exchange-id": exchange_id,
    }
    key = os.environ.get(hop.api_key_env, "").strip() if hop.api_key_env else ""
    if key:
        headers["authorization"] = f"Bearer {key}"
    headers.update({name.lower(): value for name, value in hop.headers.items()})
    if hop.wire == "chat":
        inner = api_hop(route)
        body: dict[str, Any] = {"exchange": exchange_id, "route": f"{route.name}/{inner.name}"}
        return Ask(hop.endpoint(), tuple(headers.items()), {**body, "messages": list(messages)}, inner.wire)
    body = {"model": route.model_of(hop), "messages": list(messages), "stream": stream}
    if probing:
        body |= _sampling(hop.wire, stream)
    body |= hop.body
    body |= body_extra or {}
    return Ask(hop.endpoint(), tuple(headers.items()), body, hop.wire)


def _sampling(wire: str, stream: bool) -> dict[str, Any]:
    """The same answer each time as far as the engine can, and the token counts where one must ask for them."""
    if wire == "ollama":
        return {"options": {"temperature": 0}}
    extra: dict[str, Any] = {"temperature": 0}
    if stream and wire == "openai":
        extra["stream_options"] = {"include_usage": True}
    return extra
