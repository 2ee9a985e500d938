"""Ollama's native chat: one JSON object a line, the last with ``done`` and durations in ns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from harness.lab.answers import Choice
from harness.lab.ask import Ask
from harness.lab.plan import Emission, Headers
from harness.lab.scenarios import Scenario

HEADERS: Headers = (("content-type", "application/x-ndjson"),)
FORMAT = "ndjson"
CREATED_AT = "2025-10-09T08:53:20Z"


def stream(ask: Ask, scenario: Scenario, choices: Sequence[Choice], times: Sequence[float]) -> list[Emission]:
    choice = choices[0]
    thought = len(choice.reasoning)
    rows = []
    for k, piece in enumerate((*choice.reasoning, *choice.tokens)):
        if choice.tool and k >= thought:
            break
        kind, key = ("reasoning", "thinking") if k < thought else ("text", "content")
        message = {"role": "assistant", "content": "", key: piece}
        rows.append(Emission(times[k + 1], kind, _record(ask, message), token=k + 1))
    end = times[choice.size + 1]
    if choice.tool:
        rows.append(Emission(end, "tool", _record(ask, _called(choice)), token=choice.size))
    rows.append(Emission(end, "done", _last(ask, choice, times), token=choice.size))
    return rows


def whole(ask: Ask, scenario: Scenario, choices: Sequence[Choice]) -> dict[str, Any]:
    choice = choices[0]
    message = _called(choice) if choice.tool else {"role": "assistant", "content": choice.text}
    if choice.reasoning:
        message["thinking"] = "".join(choice.reasoning)
    return {**_last(ask, choice, [0.0] * (choice.size + 2)), "message": message}


def _called(choice: Choice) -> dict[str, Any]:
    try:
        arguments = json.loads(choice.text)
    except ValueError:
        arguments = {}
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": choice.tool, "arguments": arguments}}],
    }


def _record(ask: Ask, message: dict[str, Any]) -> dict[str, Any]:
    return {"model": ask.model, "created_at": CREATED_AT, "message": message, "done": False}


def _last(ask: Ask, choice: Choice, times: Sequence[float]) -> dict[str, Any]:
    reason = "length" if choice.finish == "length" else "stop"
    return {
        "model": ask.model,
        "created_at": CREATED_AT,
        "message": {"role": "assistant", "content": ""},
        "done_reason": reason,
        "done": True,
        "total_duration": round(times[-1] * 1e6),
        "load_duration": 0,
        "prompt_eval_count": ask.prompt_tokens,
        "prompt_eval_duration": round(times[0] * 1e6),
        "eval_count": choice.size,
        "eval_duration": round((times[-1] - times[0]) * 1e6),
    }
