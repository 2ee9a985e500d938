"""The engine model in virtual time: when each token of a request appears beside other load."""

from __future__ import annotations

import random
from collections.abc import Sequence as Rows

from harness.lab.engine.model import Engine, released
from harness.lab.engine.profile import Profile


def token_times(
    profile: Profile, prompt: int, output: int, *, seed: str = "0", load: int = 0, limit: int = 200_000
) -> list[float]:
    """Ms at which tokens 1..output appear; index 0 is the first's. ``load``: as many other requests come within the
    first two seconds, of 100 to 2,000 prompt and 50 to 400 output tokens by seed."""
    rng = random.Random(f"load:{seed}")
    others = sorted((rng.uniform(-500, 2000), rng.randint(100, 2000), rng.randint(50, 400)) for _ in range(load))
    engine = Engine(profile, seed)
    now = min(0.0, others[0][0] if others else 0.0)
    mine, times = None, [0.0]
    for _ in range(limit):
        while others and others[0][0] <= now:
            at, size, length = others.pop(0)
            engine.submit(at, size, length)
        if mine is None and now >= 0.0:
            mine = engine.submit(0.0, prompt, output)
        step = engine.step(now)
        if step is None:
            now = 0.0 if mine is None and not others else min(_next(others), 0.0 if mine is None else _next(others))
            continue
        now += step.duration
        for sequence, _ in engine.commit(step, now):
            if sequence is mine:
                shown = released(mine.generated, profile.stream_interval, mine.state == "finished")
                times += [now] * (shown - len(times) + 1)
        if mine is not None and mine.state == "finished":
            break
    times[0] = times[1] if len(times) > 1 else 0.0
    return [*times, times[-1]]


def _next(others: Rows[tuple[float, int, int]]) -> float:
    return others[0][0] if others else float("inf")
