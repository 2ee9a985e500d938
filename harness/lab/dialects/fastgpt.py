"""FastGPT v1 and v2: OpenAI-like chunks with blank ids, and with ``detail`` workflow events around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.lab.answers import Choice
from harness.lab.ask import Ask
from harness.lab.plan import Emission, Headers
from harness.lab.scenarios import Scenario

HEADERS: Headers = (
    ("content-type", "text/event-stream;charset=utf-8"),
    ("access-control-allow-origin", "*"),
    ("x-accel-buffering", "no"),
    ("cache-control", "no-cache, no-transform"),
)
FORMAT = "sse"
HEARTBEAT = 10_000.0  # ms: an empty answer chunk, from the workflow's start to its end


def stream(ask: Ask, scenario: Scenario, choices: Sequence[Choice], times: Sequence[float]) -> list[Emission]:
    choice = choices[0]
    rows: list[Emission] = []
    if ask.detail:
        rows.append(Emission(0.0, "node", {"status": "running", "name": "AI chat"}, "flowNodeStatus"))
    thought = len(choice.reasoning)
    for k, piece in enumerate((*choice.reasoning, *choice.tokens)):
        key, kind = ("reasoning_content", "reasoning") if k < thought else ("content", "text")
        rows.append(Emission(times[k + 1], kind, _chunk({"role": "assistant", key: piece}), token=k + 1))
    end = times[choice.size + 1]
    rows = _with_heartbeats(rows, end)
    node = _node(ask, choice, end)
    if ask.detail and ask.dialect == "fastgpt2":
        rows.append(Emission(end, "node", node, "flowNodeResponse"))
    rows.append(Emission(end, "finish", _chunk({}, "stop"), token=choice.size))
    rows.append(Emission(end, "done", "[DONE]", token=choice.size))
    if ask.detail:
        rows = [replace(e, event=e.event or "answer") for e in rows]
        if ask.dialect == "fastgpt1":
            rows.append(Emission(end, "node", [node], "flowResponses"))
    return rows


def whole(ask: Ask, scenario: Scenario, choices: Sequence[Choice]) -> dict[str, Any]:
    choice = choices[0]
    message: dict[str, Any] = {"role": "assistant", "content": choice.text}
    if choice.reasoning:
        message["reasoning_content"] = "".join(choice.reasoning)
    row: dict[str, Any] = {
        "id": str(ask.body.get("chatId") or ""),
        "model": "",
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 1},
        "choices": [{"message": message, "finish_reason": "stop", "index": 0}],
    }
    if ask.detail:
        row = {"responseData": [_node(ask, choice, 0.0)], "newVariables": {}, **row}
    return row


def _with_heartbeats(rows: list[Emission], end: float) -> list[Emission]:
    beats, at = [], HEARTBEAT
    while at < end:
        beats.append(Emission(at, "beat", _chunk({"role": "assistant", "content": ""})))
        at += HEARTBEAT
    return sorted([*rows, *beats], key=lambda e: e.at)


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"delta": delta, "index": 0, "finish_reason": finish}
    return {"id": "", "object": "", "created": 0, "model": "", "choices": [choice]}


def _node(ask: Ask, choice: Choice, end: float) -> dict[str, Any]:
    return {
        "id": ask.id[:24],
        "nodeId": "aiChat",
        "moduleName": "AI chat",
        "moduleType": "chatNode",
        "runningTime": round(end / 1000, 2),
        "totalPoints": 0,
        "model": ask.model,
        "inputTokens": ask.prompt_tokens,
        "outputTokens": choice.size,
        "query": ask.prompt,
    }
