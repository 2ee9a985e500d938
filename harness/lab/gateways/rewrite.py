"""A gateway that parses and writes anew, well."""

from __future__ import annotations

from collections.abc import Iterable

from harness.lab.gateways.events import data_of, payload_of
from harness.lab.gateways.eventwise import Eventwise
from harness.lab.gateways.model import Do, Send
from harness.lab.gateways.registry import gateway
from harness.lab.plan import to_json


@gateway("rewrite")
class Rewrite(Eventwise):
    """Parses every event and serialises it anew, keys sorted, comments and event lines dropped: another body, the
    same text in the same order and time. Not a fault."""

    def event(self, t: float, block: bytes) -> Iterable[Do]:
        payload = payload_of(block)
        if isinstance(payload, dict):
            yield Send(f"data: {to_json(dict(sorted(payload.items())))}\n\n".encode())
        elif data_of(block):
            yield Send(f"data: {data_of(block)}\n\n".encode())
