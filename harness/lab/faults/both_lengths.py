"""Chunked and a Content-Length."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("both-lengths", "headers", "warning")
def both_lengths(plan: Plan, p: Params) -> Plan:
    """Both framings in one head, which RFC 9112 forbids: the seed of request smuggling; strict clients refuse it."""
    return replace(plan, transfer="both")
