"""The route model: the ordered hops of one way to a model, innermost (engine) first. Pure data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from harness.errors import UnknownRoute

HOP_KINDS = ("engine", "gateway", "app", "proxy")
HOP_WIRES = ("openai", "fastgpt", "ollama", "chat")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Three tiers, seconds: to connect, between two reads, for the whole exchange."""

    connect: float = 10.0
    read: float = 120.0
    total: float = 600.0


@dataclass(frozen=True, slots=True)
class Hop:
    """One layer that can be asked. ``url`` is the base; :meth:`endpoint` is what is POSTed to.

    ``api_key_env`` names the environment variable that holds the key; the key itself is never stored.
    """

    name: str
    kind: str = "engine"
    wire: str = "openai"
    url: str = ""
    api_key_env: str = ""
    model: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    verify: bool = True
    ca_file: str = ""
    proxy: str = ""
    metrics_url: str = ""
    telemetry: str = ""

    def endpoint(self) -> str:
        """The URL that a chat request is POSTed to, by the hop's wire."""
        path = {"ollama": "/api/chat", "chat": "/chat/stream"}.get(self.wire, "/chat/completions")
        return self.url.rstrip("/") + path


@dataclass(frozen=True, slots=True)
class Route:
    """``hops`` innermost first; ``model`` is asked for unless a hop names its own. ``origin``: env, file, page, lab."""

    name: str
    hops: tuple[Hop, ...]
    model: str = ""
    timeouts: Timeouts = Timeouts()
    origin: str = "file"

    @property
    def outermost(self) -> Hop:
        return self.hops[-1]

    def cut_at(self, hop: str) -> Route:
        """``ROUTE/HOP``: this route cut off at that hop, so that the hop is outermost."""
        for index, candidate in enumerate(self.hops):
            if candidate.name == hop:
                return replace(self, hops=self.hops[: index + 1])
        names = ", ".join(h.name for h in self.hops)
        raise UnknownRoute(f"route {self.name} has no hop {hop!r}", do=f"Its hops are: {names}.")

    def model_of(self, hop: Hop) -> str:
        return hop.model or self.model
