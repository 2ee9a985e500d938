"""OpenAI completions (the older endpoint): text in ``choices[].text``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.lab.answers import Choice
from harness.lab.ask import Ask
from harness.lab.dialects.openai_chat import CREATED, HEADERS, usage
from harness.lab.plan import Emission
from harness.lab.scenarios import Scenario

__all__ = ["FORMAT", "HEADERS", "stream", "whole"]
FORMAT = "sse"


def stream(ask: Ask, scenario: Scenario, choices: Sequence[Choice], times: Sequence[float]) -> list[Emission]:
    rows = []
    longest = max(c.size for c in choices)
    for k in range(longest):
        for c in choices:
            pieces = (*c.reasoning, *c.tokens)
            if k < len(pieces):
                rows.append(_chunk(ask, c, times[k + 1], "text", pieces[k], None, k + 1))
    end = times[longest + 1]
    rows += [_chunk(ask, c, end, "finish", "", c.finish, longest) for c in choices]
    if ask.include_usage:
        payload = {**_envelope(ask), "choices": [], "usage": usage(ask, sum(c.size for c in choices))}
        rows.append(Emission(end, "usage", payload, token=longest))
    rows.append(Emission(end, "done", "[DONE]", token=longest))
    return rows


def whole(ask: Ask, scenario: Scenario, choices: Sequence[Choice]) -> dict[str, Any]:
    rows = [_choice(c.index, "".join((*c.reasoning, *c.tokens)), c.finish) for c in choices]
    return {**_envelope(ask), "choices": rows, "usage": usage(ask, sum(c.size for c in choices))}


def _chunk(ask: Ask, c: Choice, at: float, kind: str, text: str, finish: str | None, token: int) -> Emission:
    payload = {**_envelope(ask), "choices": [_choice(c.index, text, finish)]}
    if ask.continuous_usage:
        payload["usage"] = usage(ask, token)
    return Emission(at, kind, payload, token=token, choice=c.index)


def _choice(index: int, text: str, finish: str | None) -> dict[str, Any]:
    return {"index": index, "text": text, "logprobs": None, "finish_reason": finish}


def _envelope(ask: Ask) -> dict[str, Any]:
    return {"id": f"cmpl-{ask.id}", "object": "text_completion", "created": CREATED, "model": ask.model}
