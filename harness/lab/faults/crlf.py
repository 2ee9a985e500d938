"""Lines end in CRLF."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("crlf", "")
def crlf(plan: Plan, p: Params) -> Plan:
    """CRLF instead of LF: legal, and trouble for parsers that look for two line feeds."""
    return replace(plan, framing=replace(plan.framing, eol="\r\n"))
