"""Every event comes a few bytes at a time."""

from __future__ import annotations

from harness.lab.params import Params
from harness.lab.plan import Emission, Plan
from harness.lab.registry import fault

WRITES = 50_000  # at most


@fault("trickle", "", outer="first-byte")
def trickle(plan: Plan, p: Params) -> Plan:
    """Writes of ``bytes`` (16), ``every`` (40ms) one: a starved link, a proxy that writes as it pleases."""
    data, every = plan.body(), p.ms("every", 40)
    size = max(1, p.count("bytes", 16), len(data) // WRITES)
    at, rows = plan.emissions[0].at if plan.emissions else 0.0, []
    for start in range(0, len(data), size):
        rows.append(Emission(at, "raw", data=data[start : start + size]))
        at += every
    return plan.with_emissions(rows, end_at=at)
