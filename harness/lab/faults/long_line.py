"""A line of 70 KB."""

from __future__ import annotations

from typing import Any

from harness.lab.edits import nth, with_payload
from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault

LIMIT = 16 * 1024 * 1024


@fault("long-line", "")
def long_line(plan: Plan, p: Params) -> Plan:
    """Content event ``at`` (7) is padded to ``bytes`` (71680): legal; scanners with a limit of 64 KiB end the stream
    there."""
    index = nth(plan, p, 7)
    if index is None:
        return plan

    def pad(payload: dict[str, Any]) -> None:
        payload["padding"] = "x" * min(p.count("bytes", 71_680), LIMIT)

    rows = list(plan.emissions)
    rows[index] = with_payload(rows[index], pad)
    return plan.with_emissions(rows)
