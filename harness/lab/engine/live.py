"""The engine model on the event loop's clock: steps happen one after another, tokens go to their listeners."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from harness.lab.engine.life import Life
from harness.lab.engine.meter import Meter
from harness.lab.engine.model import Engine, Sequence, Step, released
from harness.lab.engine.profile import Profile


class Ticket:
    """One request in a live engine. ``times[k]``: loop time at which token k+1 was released; ``on_token`` is called
    when there are more."""

    def __init__(self, sequence: Sequence, life: Life, on_token: Callable[[], None]) -> None:
        self.sequence, self.life, self.on_token = sequence, life, on_token
        self.times: list[float] = []


class LiveEngine:
    """Runs steps while there is work. Step ends are kept on the model's schedule, however late the loop is."""

    def __init__(self, profile: Profile, meter: Meter) -> None:
        self.profile, self.meter = profile, meter
        self.model = Engine(profile, profile.name)
        self.loop = asyncio.get_running_loop()
        self.tickets: dict[int, Ticket] = {}
        self._busy = False
        self._loading_until: float | None = None
        meter.gauges = self._gauges

    def cold(self) -> bool:
        """Whether the model still loads; the first question starts the loading."""
        now = self.loop.time()
        if self._loading_until is None:
            self._loading_until = now + self.profile.cold_ms / 1000
        return now < self._loading_until

    def submit(self, prompt: int, output: int, priority: int, life: Life, on_token: Callable[[], None]) -> Ticket:
        sequence = self.model.submit(self.loop.time() * 1000, prompt, output, priority)
        ticket = self.tickets[sequence.id] = Ticket(sequence, life, on_token)
        if not self._busy:
            self._busy = True
            start = max(self.loop.time(), self._loading_until or 0.0)
            self.loop.call_at(start, self._step, start)
        return ticket

    def abort(self, ticket: Ticket) -> None:
        """Free the slot at once."""
        self.model.abort(ticket.sequence)
        self.tickets.pop(ticket.sequence.id, None)

    def _step(self, now: float) -> None:
        before = self.model.preemptions
        step = self.model.step(now * 1000)
        self.meter.counters["num_preemptions_total"] += self.model.preemptions - before
        if step is None:
            self._busy = False
            return
        for sequence, _ in step.tokens:
            ticket = self.tickets.get(sequence.id)
            if ticket and sequence.admitted is not None:
                ticket.life.schedule(sequence.admitted / 1000)
        self.meter.observe("iteration_tokens_total", step.prefill + step.decodes)
        end = now + step.duration / 1000
        self.loop.call_at(end, self._commit, step, end)

    def _commit(self, step: Step, end: float) -> None:
        for sequence, new in self.model.commit(step, end * 1000):
            self._drafts(sequence, new)
            ticket = self.tickets.get(sequence.id)
            if ticket is None:
                continue
            ticket.life.preemptions = sequence.preemptions
            ticket.life.token(end, new)
            shown = released(sequence.generated, self.profile.stream_interval, sequence.state == "finished")
            fresh = shown - len(ticket.times)
            if sequence.state == "finished":
                self.tickets.pop(sequence.id, None)
            if fresh > 0:
                ticket.times += [end] * fresh
                ticket.on_token()
        lag = self.loop.time() - end
        self._step(end if lag < 0.25 else self.loop.time())

    def _drafts(self, sequence: Sequence, new: int) -> None:
        if self.profile.speculative and sequence.generated > new:
            counters = self.meter.counters
            counters["spec_decode_num_drafts_total"] += 1
            counters["spec_decode_num_draft_tokens_total"] += self.profile.speculative
            counters["spec_decode_num_accepted_tokens_total"] += new - 1

    def _gauges(self) -> dict[str, float]:
        return {
            "num_requests_running": len(self.model.running),
            "num_requests_waiting": len(self.model.waiting),
            "kv_cache_usage_perc": self.model.kv_usage,
        }
