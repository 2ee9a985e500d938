"""Comments while nothing else comes."""

from __future__ import annotations

from harness.lab.params import Params
from harness.lab.plan import Emission, Plan
from harness.lab.registry import fault


@fault("heartbeat", "")
def heartbeat(plan: Plan, p: Params) -> Plan:
    """A comment every ``every`` (1000ms) as long as the stream is open: keep-alive. They are not tokens."""
    every, rows = max(1.0, p.ms("every", 1000)), []
    beat, last = (plan.head_at or 0.0) + every, max((e.at for e in plan.emissions), default=0.0)
    for e in plan.emissions:
        while beat <= e.at and beat < last:
            rows.append(Emission(beat, "comment", "keep-alive"))
            beat += every
        rows.append(e)
    return plan.with_emissions(rows)
