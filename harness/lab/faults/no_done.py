"""The terminator is missing."""

from __future__ import annotations

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("no-done", "truncation", "warning")
def no_done(plan: Plan, p: Params) -> Plan:
    """The finish comes, ``[DONE]`` does not: a rewriter that stops at the finish reason."""
    return plan.with_emissions(e for e in plan.emissions if e.kind != "done")
