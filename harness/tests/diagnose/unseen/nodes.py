"""FastGPT's node records that tell of a failure, and tool calls that are told whole."""

from __future__ import annotations

import json
from typing import Any

from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.kit import Unseen, at, fault, fine, hop, sse, warn
from harness.tests.diagnose.unseen.shapes import (
    CALLED,
    MESSAGES,
    PROSE,
    RESPONSES,
    block,
    claudes,
    fastgpt,
    flow,
    inputs,
    item,
    pair,
    to,
)

CITY = {"city": "Bergen", "unit": "celsius"}
END = [fastgpt(finish="stop", event="answer"), b"event: answer\ndata: [DONE]\n\n"]
TEXTUAL = {"name": "get_weather", "arguments": json.dumps(CITY)}
TEXT = [fastgpt(w, event="answer") for w in PROSE]
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "get_weather"}
WHOLE = [
    item("created", 0, response={"id": "resp_1", "status": "in_progress"}),
    item("output_item.added", 1, item=CALL | {"arguments": ""}),
    item("function_call_arguments.done", 2, item_id="fc_1", arguments=json.dumps(CITY)),
    item("output_item.done", 3, item=CALL | {"arguments": json.dumps(CITY)}),
    item("completed", 4, response={"id": "resp_1", "status": "completed"}),
]


def node(**more: Any) -> dict[str, Any]:
    return {"nodeId": "n2", "moduleName": "AI Chat", "moduleType": "chatNode", "runningTime": 1.9} | more


def ran(*nodes: dict[str, Any]) -> bytes:
    return sse(list(nodes), "flowResponses")


CASES: dict[str, Unseen] = {
    "all-nodes-well": fine(flow([*TEXT, *END, ran(node(error=None, errorText=""), node(moduleType="datasetSearch"))])),
    "claude-call-whole-at-its-start": fine(
        *pair(CALLED, claudes(*block(0, "tool_use", input=CITY, id="toolu_1"), reason="tool_use"), **MESSAGES)
    ),
    "claude-call-whole-and-in-pieces": fine(
        *pair(
            CALLED,
            claudes(*block(0, "tool_use", *inputs([json.dumps(CITY)]), input=CITY, id="toolu_1"), reason="tool_use"),
            **MESSAGES,
        )
    ),
    "responses-call-whole-at-its-end": fine(*pair(CALLED, WHOLE, **RESPONSES)),
    "a-caught-error-of-a-request-node": warn(
        "error|content", "gateway", flow([*TEXT, *END, ran(node(moduleType="httpRequest468", errorText="refused"))])
    ),
    "ollama-arguments-as-text": warn(
        "malformed",
        "engine",
        hop(
            "engine",
            at(
                [
                    ollama(message={"role": "assistant", "content": "", "tool_calls": [{"function": TEXTUAL}]}),
                    ollama("", done=True, done_reason="stop"),
                ]
            ),
            **to("/api/chat", wire="ollama", headers=NDJSON),
        ),
    ),
    "node-error-behind-a-good-end": fault(
        "error|truncation", "gateway", flow([*TEXT[:7], *END, ran(node(errorText="Connection error."))])
    ),
    "node-error-as-an-object": fault(
        "error|truncation", "gateway", flow([*TEXT[:7], *END, ran(node(error={"message": "408 Request timed out."}))])
    ),
    "node-error-told-at-once": fault(
        "error|truncation", "gateway", flow([*TEXT[:7], sse(node(errorText="terminated"), "flowNodeResponse"), *END])
    ),
    "node-error-and-no-answer": fault(
        "error|truncation", "gateway", flow([*END, ran(node(errorText="401 Incorrect API key"))])
    ),
}  # fmt: skip
