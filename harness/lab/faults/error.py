"""An error inside the stream."""

from __future__ import annotations

from harness.lab.edits import nth
from harness.lab.params import Params
from harness.lab.plan import Emission, Plan
from harness.lab.registry import fault


@fault("error", "error")
def error(plan: Plan, p: Params) -> Plan:
    """After content event ``at`` (50%) an error object, then ``[DONE]`` unless ``done=no``: what vLLM sends when the
    engine fails under a stream that has begun."""
    index = nth(plan, p)
    kept = plan.kept(0 if index is None else index + 1)
    message = p.text("message", "The server had an error while processing your request.").replace("_", " ")
    row = {"message": message, "type": "InternalServerError", "param": None, "code": p.count("code", 500)}
    payload = {"error": message} if plan.framing.format == "ndjson" else {"error": row}
    rows = [*kept.emissions, Emission(kept.end_at, "error", payload)]
    if p.text("done", "yes") != "no" and plan.framing.format == "sse":
        rows.append(Emission(kept.end_at, "done", "[DONE]"))
    return kept.with_emissions(rows)
