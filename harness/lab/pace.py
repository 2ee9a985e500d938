"""When each token of an answer appears: the source's own metronome, with jitter by seed."""

from __future__ import annotations

import random

from harness.lab.scenarios import Scenario


def metronome(scenario: Scenario, count: int, seed: str) -> list[float]:
    """Milliseconds at which tokens 1..count appear; index 0 is when the role chunk can be sent."""
    gap = 1000.0 / scenario.rate
    rng = random.Random(f"pace:{seed}")
    times, now = [max(0.0, scenario.ttft - gap)], scenario.ttft
    for _ in range(count):
        times.append(now)
        now += gap * (1.0 + scenario.jitter * rng.uniform(-1.0, 1.0)) if scenario.jitter else gap
    times.append(now)
    return times
