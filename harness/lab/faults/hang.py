"""The stream falls silent for good."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.edits import nth
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("hang", "stall")
def hang(plan: Plan, p: Params) -> Plan:
    """Silent after content event ``at`` (50%) with the connection open: a dead worker behind a live socket."""
    index = nth(plan, p)
    return replace(plan.kept(0 if index is None else index + 1), end="hang")
