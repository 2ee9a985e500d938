"""Execute a plan on a response: every step at its time on the loop's clock, paused while the reader is slow."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from harness.lab.engine.life import Life
from harness.lab.plan import CONTENT_KINDS, Emission, Plan
from harness.lab.response import Response


class Emitter:
    """One plan being executed. ``done`` is called once, when nothing more will be written."""

    def __init__(
        self, plan: Plan, response: Response, done: Callable[[], None], life: Life | None = None, reason: str = "stop"
    ) -> None:
        self.plan, self.response, self.done, self.life, self.reason = plan, response, done, life, reason
        self._tokens = 0
        self.loop = asyncio.get_running_loop()
        waited = (time.perf_counter_ns() - response.record.started) / 1e9 if response.record else 0.0
        self.start = self.loop.time() - waited
        self.deaf = plan.deaf
        self._next = 0
        self._timer: asyncio.TimerHandle | None = None
        self._paused = self._over = self._gone = False
        self._head_due = plan.head_at is not None

    def begin(self) -> None:
        self._tick()

    def client_left(self, detail: str) -> None:
        """The reader closed: stop, unless the plan is deaf; either way the ledger gets the time."""
        record = self.response.record
        if self._over or self._gone:
            return
        self._gone = True
        if record:
            record.meta["client_left_ms"] = round(record.now(), 3)
        if self.deaf and self.plan.end != "hang":
            return
        if record:
            record.ended("aborted", detail)
        self._end_life("abort")
        self._stop()

    def pause(self) -> None:
        self._paused = True

    def resume(self) -> None:
        if self._paused:
            self._paused = False
            self._tick()

    def _tick(self) -> None:
        """Do all that is due; set the timer for the next step."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        while not self._over and (not self._paused or self._gone):
            at = self._due()
            if at is None:
                return
            due = self.start + at / 1000
            if due > self.loop.time():
                self._timer = self.loop.call_at(due, self._tick)
                return
            self._step()

    def _due(self) -> float | None:
        plan = self.plan
        if self._head_due:
            return plan.head_at
        if self._next < len(plan.emissions):
            return plan.emissions[self._next].at
        return None if plan.end == "hang" else plan.end_at

    def _step(self) -> None:
        plan = self.plan
        if self._head_due:
            self._head_due = False
            length = None
            if plan.transfer in ("length", "both"):
                length = plan.declared if plan.declared is not None else len(plan.body())
            self.response.head(plan.status, plan.headers, plan.transfer, length, plan.end == "complete")
        elif self._next < len(plan.emissions):
            emission = self._take()
            self.response.body(plan.encode(emission))
            self._count(emission)
        else:
            self.response.finish(plan.end)
            self._end_life(self.reason if plan.end == "complete" else "error")
            self._stop()

    def _take(self) -> Emission:
        """The emission to write now."""
        self._next += 1
        return self.plan.emissions[self._next - 1]

    def _count(self, emission: Emission) -> None:
        """Tell the meter of tokens; an engine, where there is one, does that itself."""
        if self.life is not None and emission.kind in CONTENT_KINDS and emission.token > self._tokens:
            self.life.token(self.loop.time(), emission.token - self._tokens)
            self._tokens = emission.token

    def _end_life(self, reason: str) -> None:
        if self.life is not None:
            self.life.end(self.loop.time(), reason)

    def _stop(self) -> None:
        if self._over:
            return
        self._over = True
        if self._timer:
            self._timer.cancel()
        self.done()
