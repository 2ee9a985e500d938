"""The request is refused."""

from __future__ import annotations

from harness.lab.params import Params
from harness.lab.plan import Emission, Framing, Plan
from harness.lab.registry import fault


@fault("status", "error", whole=True)
def status(plan: Plan, p: Params) -> Plan:
    """Answers with the status ``code`` (503) and an error object: a full queue, a wrong key, a model loading."""
    code = p.count("code", 503)
    message = p.text("message", "Loading_model").replace("_", " ")
    payload = {"error": {"message": message, "type": "unavailable_error", "param": None, "code": code}}
    at = p.ms("after", 0)
    made = Emission(at, "error", payload)
    headers = (("content-type", "application/json"),)
    return Plan((made,), code, headers, Framing("json"), "length", head_at=at, end_at=at)
