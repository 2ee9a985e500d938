"""The header says gzip, the bytes are plain."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("gzip-header", "headers")
def gzip_header(plan: Plan, p: Params) -> Plan:
    """``content-encoding: gzip`` over plain text: a proxy that unpacked the body and kept the header."""
    return replace(plan, headers=(*plan.headers, ("content-encoding", "gzip")))
