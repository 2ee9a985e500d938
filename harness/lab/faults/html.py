"""A web page instead of a stream."""

from __future__ import annotations

from harness.lab.params import Params
from harness.lab.plan import Emission, Plan
from harness.lab.registry import fault


@fault("html", "not-streamed", whole=True)
def html(plan: Plan, p: Params) -> Plan:
    """200 with a page of HTML: a login page, a wrong path that the front end catches, a WAF."""
    page = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>\n"
    headers = (("content-type", "text/html; charset=utf-8"),)
    made = Emission(0.0, "raw", data=page)
    return Plan((made,), p.count("code", 200), headers, plan.framing, "length")
