"""OpenAI chat completions as vLLM writes them: role chunk, one token a chunk, finish, usage, ``[DONE]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.lab.answers import Choice
from harness.lab.ask import Ask
from harness.lab.plan import SSE_HEADERS, Emission
from harness.lab.scenarios import Scenario

HEADERS = SSE_HEADERS
FORMAT = "sse"
CREATED = 1_760_000_000  # fixed: the same request gives the same bytes


def stream(ask: Ask, scenario: Scenario, choices: Sequence[Choice], times: Sequence[float]) -> list[Emission]:
    """The emissions; token ``k`` of any choice appears at ``times[k]``."""
    rows = [_delta(ask, c, times[0], "role", {"role": "assistant", "content": ""}) for c in choices]
    longest = max(c.size for c in choices)
    for k in range(longest):
        for c in choices:
            if k < c.size:
                rows.append(_token(ask, scenario, c, k, times[k + 1]))
    end = times[longest + 1]
    for c in choices:
        rows.append(_delta(ask, c, end, "finish", {"content": ""}, c.finish, token=longest))
    if ask.include_usage:
        total = sum(c.size for c in choices)
        rows.append(
            Emission(end, "usage", {**_envelope(ask), "choices": [], "usage": usage(ask, total)}, token=longest)
        )
    rows.append(Emission(end, "done", "[DONE]", token=longest))
    return rows


def whole(ask: Ask, scenario: Scenario, choices: Sequence[Choice]) -> dict[str, Any]:
    """The answer that is not streamed."""
    rows = []
    for c in choices:
        message: dict[str, Any] = {"role": "assistant", "content": c.text}
        if c.tool:
            message = {"role": "assistant", "content": None, "tool_calls": [_call(ask, c, c.text)]}
        if c.reasoning:
            message[scenario.reasoning_field] = "".join(c.reasoning)
        rows.append({"index": c.index, "message": message, "logprobs": None, "finish_reason": c.finish})
    total = sum(c.size for c in choices)
    return {**_envelope(ask, "chat.completion"), "choices": rows, "usage": usage(ask, total)}


def usage(ask: Ask, completion: int) -> dict[str, int]:
    return {
        "prompt_tokens": ask.prompt_tokens,
        "total_tokens": ask.prompt_tokens + completion,
        "completion_tokens": completion,
    }


def _token(ask: Ask, scenario: Scenario, c: Choice, k: int, at: float) -> Emission:
    thought = len(c.reasoning)
    if k < thought:
        return _delta(ask, c, at, "reasoning", {scenario.reasoning_field: c.reasoning[k]}, token=k + 1)
    piece = c.tokens[k - thought]
    if not c.tool:
        return _delta(ask, c, at, "text", {"content": piece}, token=k + 1)
    call = _call(ask, c, piece) if k == thought else {"index": 0, "function": {"arguments": piece}}
    return _delta(ask, c, at, "tool", {"tool_calls": [call]}, token=k + 1)


def _delta(
    ask: Ask, c: Choice, at: float, kind: str, delta: dict[str, Any], finish: str | None = None, token: int = 0
) -> Emission:
    row: dict[str, Any] = {"index": c.index, "delta": delta, "logprobs": None, "finish_reason": finish}
    if finish:
        row["stop_reason"] = None
    payload = {**_envelope(ask), "choices": [row]}
    if ask.continuous_usage:
        payload["usage"] = usage(ask, token)
    return Emission(at, kind, payload, token=token or 1, choice=c.index)


def _call(ask: Ask, c: Choice, arguments: str) -> dict[str, Any]:
    function = {"name": c.tool, "arguments": arguments}
    return {"index": 0, "id": f"call-{ask.id[:12]}-{c.index}", "type": "function", "function": function}


def _envelope(ask: Ask, object_: str = "chat.completion.chunk") -> dict[str, Any]:
    return {"id": f"chatcmpl-{ask.id}", "object": object_, "created": CREATED, "model": ask.model}
