"""A plan whose tokens come from an engine: what is written when follows the engine's steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.lab.edits import text_of, with_text
from harness.lab.emitter import Emitter
from harness.lab.engine.live import LiveEngine, Ticket
from harness.lab.plan import Emission, Plan


class GatedEmitter(Emitter):
    """Each emission is due when its token is there, plus the delay that faults gave it (its ``at``)."""

    engine: LiveEngine
    ticket: Ticket

    def enter(self, engine: LiveEngine, prompt: int, output: int, priority: int) -> None:
        """Queue the request; to be called before :meth:`begin`."""
        assert self.life is not None
        self.engine = engine
        self.ticket = engine.submit(prompt, output, priority, self.life, self._tick)

    def _due(self) -> float | None:
        at = super()._due()
        if at is None:
            return None
        rows = self.plan.emissions
        if not rows:
            return at
        token = rows[min(self._next, len(rows) - 1)].token
        if token < 1:
            return at
        times = self.ticket.times
        return at + (times[token - 1] - self.start) * 1000 if token <= len(times) else None

    def _take(self) -> Emission:
        """The next emission, joined with those of the same step that continue it."""
        rows, times, start = self.plan.emissions, self.ticket.times, self._next
        stop = start + 1
        while stop < len(rows) and joins(rows[start], rows[stop]) and rows[stop].token <= len(times):
            if times[rows[stop].token - 1] != times[rows[start].token - 1]:
                break
            stop += 1
        self._next = stop
        return joined(rows[start:stop])

    def _count(self, emission: Emission) -> None:
        """The engine has told the meter already."""

    def _stop(self) -> None:
        if not self._over:
            self.engine.abort(self.ticket)
        super()._stop()


def joins(a: Emission, b: Emission) -> bool:
    """Whether b continues a, so that one chunk can carry both."""
    plain = a.data is None and b.data is None and a.kind in ("text", "reasoning")
    return plain and a.kind == b.kind and a.choice == b.choice and a.at == b.at


def joined(rows: Sequence[Emission]) -> Emission:
    """One emission with the text of all."""
    if len(rows) == 1:
        return rows[0]
    text = "".join(text_of(e) for e in rows)
    return replace(with_text(rows[0], lambda _: text), token=rows[-1].token)


def retimed(plan: Plan, times: Sequence[float]) -> Plan:
    """The same in virtual time: ``times[k]`` is when token k is there, in ms; equal times are one chunk."""

    def time_of(token: int) -> float:
        return times[min(token, len(times) - 1)] if token else 0.0

    rows: list[Emission] = []
    group: list[Emission] = []
    latest = 0.0
    for e in plan.emissions:
        if group and not (joins(group[0], e) and time_of(group[0].token) == time_of(e.token)):
            latest = max(latest, time_of(group[0].token) + group[0].at)
            rows.append(replace(joined(group), at=latest))
            group = []
        group.append(e)
    if group:
        latest = max(latest, time_of(group[0].token) + group[0].at)
        rows.append(replace(joined(group), at=latest))
    last = time_of(plan.emissions[-1].token) if plan.emissions else 0.0
    head = None if plan.head_at is None else plan.head_at + time_of(plan.emissions[0].token if plan.emissions else 0)
    return replace(plan, emissions=tuple(rows), head_at=head, end_at=max(latest, last + plan.end_at))
