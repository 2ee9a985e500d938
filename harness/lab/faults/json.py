"""One JSON object instead of a stream."""

from __future__ import annotations

from harness.lab.edits import text_of
from harness.lab.params import Params
from harness.lab.plan import Emission, Framing, Plan
from harness.lab.registry import fault


@fault("json", "not-streamed")
def json(plan: Plan, p: Params) -> Plan:
    """The stream flag is ignored: the whole answer as one JSON object at the end, as application/json."""
    content = [text_of(e) for e in plan.emissions if e.kind == "text"]
    envelope = next((e.payload for e in plan.emissions if isinstance(e.payload, dict)), {})
    message = {"role": "assistant", "content": "".join(content)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    payload = {**envelope, "object": "chat.completion", "choices": [choice]}
    at = plan.end_at
    headers = (("content-type", "application/json"),)
    return Plan((Emission(at, "text", payload),), 200, headers, Framing("json"), "length", head_at=at, end_at=at)
