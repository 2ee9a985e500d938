"""Refusals as products word them, and what a gateway in front may make of each."""

from __future__ import annotations

import json
from typing import Any

from harness.tests.diagnose.unseen.kit import DONE, Unseen, at, fault, fine, hop, refusal, silent, sse
from harness.tests.diagnose.unseen.shapes import PROSE, said, vllm

BUSY = "No available channel for model x under group default (request id: 20260202)"
BODIES: dict[str, tuple[int, Any]] = {
    "vllm-flat": (400, {"object": "error", "message": "max context length is 8192", "type": "BadRequestError"}),
    "vllm": (404, {"error": {"message": "The model `x` does not exist.", "type": "NotFoundError", "code": 404}}),
    "fastapi": (422, {"detail": [{"loc": ["body", "messages"], "msg": "field required", "type": "missing"}]}),
    "llama": (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
    "ollama": (404, {"error": "model 'llama9' not found, try pulling it first"}),
    "tgi": (429, {"error": "Model is overloaded", "error_type": "overloaded"}),
    "openai": (401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}),
    "claude": (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    "fastgpt": (500, {"code": 500, "statusText": "unAuthModel", "message": "You do not have permission", "data": None}),
    "new-api": (503, {"error": {"message": BUSY, "type": "new_api_error", "code": "model_not_found"}}),
    "kong": (503, {"message": "failure to get a peer from the ring-balancer"}),
    "openresty": (502, "<html><head><title>502 Bad Gateway</title></head><body>openresty</body></html>"),
    "envoy": (503, "upstream connect error or disconnect/reset before headers"),
    "gemini": (400, [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}]),
    "aws": (429, {"message": "Too many requests, please wait before trying again."}),
    "dify": (400, {"code": "provider_quota_exceeded", "message": "Quota exceeded", "status": 400}),
    "empty": (500, ""),
    "cloudflare": (524, "<!DOCTYPE html><html><head><title>524: A timeout occurred</title></head></html>"),
}
EXCUSES = {
    "en": "Sorry, an error occurred. Please try again.",
    "zh": "抱歉，请求失败，请稍后重试。",
    "status": "Upstream said 4xx or 5xx: {status}",
}


def refused(name: str, status: int, body: Any) -> dict[str, Unseen]:
    raw = body if isinstance(body, str) else json.dumps(body)
    engine = refusal("engine", status, body)
    wrapped = {"error": {"message": f"upstream failed: {raw[:80]}", "type": "upstream_error", "code": "500"}}
    told = sse({"error": {"message": raw[:120], "type": "upstream_error", "code": status}})
    event = b"event: error\ndata: " + raw.encode() + b"\n\n"
    role = [vllm({"role": "assistant", "content": ""}), vllm({}, "stop"), DONE]
    page = "text/html" if isinstance(body, str) else "application/json"
    kept, hidden = "error|not-streamed", "truncation|not-streamed|error|content|loss"
    cases = {
        "alone": fault(kept, "engine", engine),
        "passed-on": fault(kept, "engine", engine, refusal("gateway", status, body, ms=33.0)),
        "wrapped": fault(kept, "engine", engine, refusal("gateway", 500, wrapped, ms=33.0)),
        "told-in-band": fault(kept, "engine", engine, hop("gateway", [(35.0, told), (35.5, DONE)])),
        "empty-200": fault(hidden, "gateway", engine, hop("gateway", [], end_ms=40.0)),
        "only-done": fault(hidden, "gateway", engine, hop("gateway", [(36.0, DONE)])),
        "role-and-stop": fault(hidden, "gateway", engine, hop("gateway", at(role, start=36, gap=2))),
        "silence": fault("first-byte|stall|error", "gateway", engine, silent("gateway", 60_000.0, "timeout")),
        "head-and-silence": fault(
            "first-byte|stall|error", "gateway", engine, hop("gateway", [], head_ms=40.0, end="open", end_ms=45_000.0)
        ),
        "hidden-by-the-third": fault(
            hidden, "app", engine, refusal("gateway", status, body, ms=50.0), hop("app", [], end_ms=80.0)
        ),
        "with-200": fault(
            hidden + "|malformed", "engine", hop("engine", [(20.0, raw.encode())], headers=(("content-type", page),))
        ),
        "as-an-event": fault("error|truncation", "engine", hop("engine", [(20.0, event)])),
    }  # fmt: skip
    for kind, excuse in EXCUSES.items():
        events = said([f"{w} " for w in excuse.format(status=status).split()] if kind != "zh" else list(excuse))
        cases[f"excused-{kind}"] = fault(
            "error|content|rewrite", "gateway", engine, hop("gateway", at(events, start=40, gap=30))
        )  # fmt: skip
    return {f"{name}-{kind}": case for kind, case in cases.items()}


CASES: dict[str, Unseen] = {
    "excuses-himself-in-the-answer": fine(hop("engine", at(said([*PROSE, " Sorry", ",", " try", " again", "."])))),
}
for told_by, (code, document) in BODIES.items():
    CASES |= refused(told_by, code, document)
