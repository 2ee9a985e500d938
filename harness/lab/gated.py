"""A plan whose tokens come from an engine: what is written when follows the engine's steps."""

from __future__ import annotations

from harness.lab.emitter import Emitter
from harness.lab.engine.live import LiveEngine, Ticket
from harness.lab.plan import Emission
from harness.lab.stepped import joined, joins


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
