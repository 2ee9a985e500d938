"""The lab's engines and their meters, and the right executor for each answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from harness.errors import InputError
from harness.lab.ask import Ask
from harness.lab.emitter import Emitter
from harness.lab.engine import meter
from harness.lab.engine.life import Life
from harness.lab.engine.live import LiveEngine
from harness.lab.engine.profile import presets
from harness.lab.gated import GatedEmitter
from harness.lab.markers import Call
from harness.lab.plan import Plan
from harness.lab.registry import apply
from harness.lab.response import Response
from harness.lab.source import Made


class Engines:
    """One meter a model; one live engine a model that has an engine profile, made at its first request."""

    def __init__(self) -> None:
        self.meters: dict[str, meter.Meter] = {}
        self.live: dict[str, LiveEngine] = {}

    def metrics(self) -> str:
        return meter.text(list(self.meters.values()))

    def emitter(self, ask: Ask, made: Made, response: Response, done: Callable[[], None]) -> Emitter:
        """What executes the answer; not begun yet."""
        measured = self.meters.setdefault(ask.model, meter.Meter(ask.model))
        now = asyncio.get_running_loop().time()
        engine = self._engine(ask.model, made.scenario.engine, measured) if made.scenario.engine else None
        refusal = self._refusal(engine, made.plan)
        if refusal is not None:
            return Emitter(refusal, response, done)
        life = Life(measured, now, made.prompt, ask.n, ask.max_tokens)
        if engine is None:
            return Emitter(made.plan.compiled(), response, done, life, made.reason)
        gated = GatedEmitter(made.plan, response, done, life, made.reason)
        gated.enter(engine, made.prompt, made.tokens, ask.priority)
        return gated

    def _engine(self, model: str, name: str, measured: meter.Meter) -> LiveEngine:
        if name not in presets():
            raise InputError(f"there is no engine {name!r}", "lab", f"Engines: {', '.join(presets())}.")
        key = f"{model}:{name}"
        if key not in self.live:
            self.live[key] = LiveEngine(presets()[name], measured)
        return self.live[key]

    def _refusal(self, engine: LiveEngine | None, plan: Plan) -> Plan | None:
        if engine is None or not engine.cold() or engine.profile.cold_as == "inside":
            return None
        if engine.profile.cold_as == "refused":
            return replace(plan, emissions=(), head_at=None, end="reset", end_at=0.0)
        return apply(plan, [Call("status", {"code": 503, "message": "Loading_model"})])
