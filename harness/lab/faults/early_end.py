"""A clean end that comes too early."""

from __future__ import annotations

from harness.lab.edits import nth
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("early-end", "truncation")
def early_end(plan: Plan, p: Params) -> Plan:
    """Ends cleanly after content event ``at`` (50%), with neither finish nor ``[DONE]``: a worker that caught its own
    exception, a gateway that launders a cut."""
    index = nth(plan, p)
    return plan if index is None else plan.kept(index + 1)
