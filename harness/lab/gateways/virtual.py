"""A gateway run in virtual time: a plan goes in, the plan of what the gateway writes comes out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from harness.capture.model import Headers
from harness.lab.gateways.model import Again, Do, Finish, Gateway, Send, SendHead, Wake
from harness.lab.plan import Emission, Framing, Plan

ENDS = {"complete": "complete", "cut": "truncated", "reset": "reset"}
COALESCE = 0.02  # ms: writes closer than this reach the next hop as one read


@dataclass(slots=True)
class _Out:
    writes: list[Emission] = field(default_factory=list)
    head: tuple[float, int, Headers, int | None] | None = None
    end: tuple[float, str] | None = None
    wake: float | None = None
    again: bool = False

    def run(self, t: float, commands: Iterable[Do]) -> None:
        for do in commands:
            if self.end is not None:
                return
            if isinstance(do, SendHead):
                self.head = (t, do.status, do.headers, do.length)
            elif isinstance(do, Send):
                if do.data:
                    self.writes.append(Emission(t, "raw", data=do.data))
            elif isinstance(do, Wake):
                self.wake = do.at
            elif isinstance(do, Again):
                self.again = True
            elif isinstance(do, Finish):
                self.end = (t, do.kind)


def through(gateway: Gateway, plan: Plan, request: dict[str, Any] | None = None, limit: int = 3) -> Plan:
    """What the gateway writes when ``plan`` is what it gets. A retry gets the same plan from its start, at most
    ``limit`` times."""
    gateway.ask(request or {})
    out = _Out()
    out.run(0.0, gateway.start(0.0))
    queue = deque(_events(plan, 0.0))
    while out.end is None and (queue or out.wake is not None):
        if out.wake is not None and (not queue or out.wake <= queue[0][0]):
            t, out.wake = out.wake, None
            out.run(t, gateway.wake(t))
        else:
            t, what, value = queue.popleft()
            if what == "head":
                out.run(t, gateway.head(t, plan.status, plan.headers))
            elif what == "data":
                out.run(t, gateway.data(t, value))
            else:
                out.run(t, gateway.end(t, value))
        if out.again:
            out.again, limit = False, limit - 1
            queue = deque(_events(plan, t) if limit >= 0 else [(t, "end", "truncated")])
    return _plan(out, plan)


def _events(plan: Plan, start: float) -> list[tuple[float, str, Any]]:
    """The plan as a client would get it: head, coalesced reads, end."""
    if plan.head_at is None:
        return []
    rows: list[tuple[float, str, Any]] = [(start + plan.head_at, "head", None)]
    for e in plan.emissions:
        data = plan.encode(e)
        if rows[-1][1] == "data" and start + e.at - rows[-1][0] < COALESCE:
            rows[-1] = (rows[-1][0], "data", rows[-1][2] + data)
        elif data:
            rows.append((max(start + e.at, rows[-1][0]), "data", data))
    if plan.end in ENDS:
        kind = ENDS[plan.end]
        if kind == "truncated" and plan.transfer == "close":
            kind = "complete"
        rows.append((max(start + plan.end_at, rows[-1][0]), "end", kind))
    return rows


def _plan(out: _Out, plan: Plan) -> Plan:
    made = replace(plan, emissions=tuple(out.writes), framing=Framing(plan.framing.format), declared=None)
    if out.head is None:
        return replace(made, head_at=None, end="hang")
    at, status, headers, length = out.head
    if dict(headers).get("content-type", "").startswith("text/event-stream"):
        made = replace(made, framing=Framing())
    transfer = "chunked" if length is None else "length"
    made = replace(made, head_at=at, status=status, headers=headers, transfer=transfer, declared=length)
    if out.end is None:
        return replace(made, end="hang", end_at=out.writes[-1].at if out.writes else at)
    return replace(made, end=out.end[1], end_at=out.end[0])
