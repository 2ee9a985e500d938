"""The content type is not that of a stream."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.params import Params
from harness.lab.plan import Plan
from harness.lab.registry import fault


@fault("wrong-type", "headers", "warning")
def wrong_type(plan: Plan, p: Params) -> Plan:
    """``content-type`` is ``type`` (text/plain) over a good stream: browsers' EventSource refuses it, proxies buffer or
    compress it."""
    rest = tuple(h for h in plan.headers if h[0] != "content-type")
    return replace(plan, headers=(("content-type", p.text("type", "text/plain; charset=utf-8")), *rest))
