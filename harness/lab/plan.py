"""The emission plan: what a source will write and when, as pure data that faults may change.

Times are milliseconds since the request was received. A plan is made by a dialect, changed by faults, and then
either executed on a socket (:mod:`harness.lab.emitter`) or turned into a capture (:mod:`harness.lab.synth`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import orjson

Headers = tuple[tuple[str, str], ...]
CONTENT_KINDS = ("text", "reasoning", "tool")
SSE_HEADERS: Headers = (("content-type", "text/event-stream; charset=utf-8"),)


@dataclass(frozen=True, slots=True)
class Emission:
    """One write. ``kind``: role, text, reasoning, tool, finish, usage, error, done, comment, node, raw.

    ``payload`` is the JSON object (or the literal text, such as ``[DONE]``); ``data``, where set, is what goes
    out instead of the encoded payload. ``token``: how many engine tokens must exist before this can be written.
    """

    at: float
    kind: str
    payload: Any = None
    event: str = ""
    data: bytes | None = None
    token: int = 0
    choice: int = 0

    def later(self, ms: float) -> Emission:
        return replace(self, at=self.at + ms)


@dataclass(frozen=True, slots=True)
class Framing:
    """How events become bytes: ``sse`` or ``ndjson`` or ``json``, line end, and the space after the colon."""

    format: str = "sse"
    eol: str = "\n"
    space: str = " "


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole response. ``transfer``: chunked, length, close, or both (chunked and a length: illegal).

    ``end``: complete, cut (closed before the framing allows), reset (RST) or hang (silent, open); ``head_at`` None:
    no head is ever sent. ``declared``: the Content-Length that the head claims
    where it is not the body's own. ``deaf``: goes on although the client left.
    """

    emissions: tuple[Emission, ...] = ()
    status: int = 200
    headers: Headers = SSE_HEADERS
    framing: Framing = Framing()
    transfer: str = "chunked"
    declared: int | None = None
    head_at: float | None = 0.0
    end: str = "complete"
    end_at: float = 0.0
    deaf: bool = False

    def encode(self, emission: Emission) -> bytes:
        """The body bytes of one emission."""
        return emission.data if emission.data is not None else encode(emission, self.framing)

    def compiled(self) -> Plan:
        """The same with every emission's bytes made and its payload let go: for many plans at once, objects are what
        costs (the garbage collector walks them all)."""
        rows = tuple(replace(e, data=self.encode(e), payload=None) for e in self.emissions)
        return replace(self, emissions=rows)

    def body(self) -> bytes:
        return b"".join(self.encode(e) for e in self.emissions)

    def content(self) -> list[int]:
        """Indices of the emissions that carry text, reasoning or tool arguments."""
        return [i for i, e in enumerate(self.emissions) if e.kind in CONTENT_KINDS]

    def with_emissions(self, emissions: Iterable[Emission], **changes: Any) -> Plan:
        """This plan with other emissions; the end never comes before the last of them."""
        rows = tuple(emissions)
        last = max((e.at for e in rows), default=0.0)
        changes.setdefault("end_at", max(self.end_at, last))
        return replace(self, emissions=rows, **changes)

    def each(self, change: Callable[[Emission], Emission]) -> Plan:
        return self.with_emissions(change(e) for e in self.emissions)

    def shifted(self, start: int, ms: float) -> Plan:
        """Everything from emission ``start`` on, the end included, ``ms`` later."""
        rows = [e.later(ms) if i >= start else e for i, e in enumerate(self.emissions)]
        return self.with_emissions(rows, end_at=self.end_at + ms)

    def kept(self, stop: int) -> Plan:
        """Only the emissions before ``stop``; the end comes right after them."""
        rows = self.emissions[:stop]
        return replace(self, emissions=rows, end_at=rows[-1].at if rows else self.head_at or 0.0)


def encode(emission: Emission, framing: Framing) -> bytes:
    """An emission's payload as bytes of the given framing."""
    payload = emission.payload
    text = payload if isinstance(payload, str) else to_json(payload)
    if framing.format == "json":
        return text.encode()
    if framing.format == "ndjson":
        return (text + "\n").encode()
    if emission.kind == "comment":
        return f":{framing.space}{text}{framing.eol}{framing.eol}".encode()
    name = f"event:{framing.space}{emission.event}{framing.eol}" if emission.event else ""
    return f"{name}data:{framing.space}{text}{framing.eol}{framing.eol}".encode()


def to_json(value: Any) -> str:
    """Compact JSON. What orjson refuses (half a surrogate pair, which UTF-8 cannot hold) is all escaped."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"))
