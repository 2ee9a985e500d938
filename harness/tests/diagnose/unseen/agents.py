"""Agents and workflows: pauses that a tool or a node explains on the wire, and those that nothing explains."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from harness.tests.diagnose.unseen.calm import SEARCH, searching, tool_run
from harness.tests.diagnose.unseen.kit import (
    Reads,
    Unseen,
    at,
    fault,
    fine,
    hop,
    ladder,
    on,
    sse,
    words,
)  # fmt: skip

CALL = {"id": "call_b2", "toolName": "lookup", "toolAvatar": "", "functionName": "lookup", "params": "", "response": ""}
DONE = b"event: answer\ndata: [DONE]\n\n"


def said(text: str, finish: str | None = None) -> bytes:
    delta = {} if finish else {"role": "assistant", "content": text}
    choice = {"delta": delta, "index": 0, "finish_reason": finish}
    return sse({"id": "", "object": "", "created": 0, "model": "", "choices": [choice]}, "answer")


def runs(name: str) -> bytes:
    return sse({"status": "running", "name": name}, "flowNodeStatus")


def ended(name: str) -> bytes:
    return sse({"nodeId": name, "moduleName": name, "moduleType": "chatNode", "runningTime": 1.2}, "flowNodeResponse")


def calls(ident: str) -> list[bytes]:
    params = {"tool": {"id": ident, "params": '{"q":"tides"}'}}
    return [sse({"tool": CALL | {"id": ident}}, "toolCall"), sse(params, "toolParams")]


def answers(ident: str) -> bytes:
    return sse({"tool": {"id": ident, "response": "high water at six"}}, "toolResponse")


def paced(events: Sequence[bytes], pauses: dict[int, float], gap: float = 70.0) -> Reads:
    """One read an event; ``pauses``: milliseconds more before the event of that number."""
    late, out = 0.0, []
    for i, (t, data) in enumerate(at(events, gap=gap)):
        late += pauses.get(i, 0.0)
        out.append((t + late, data))
    return out


def flow(name: str, rows: Reads, **more: Any) -> Any:
    return hop(name, rows, wire="fastgpt", **more)


def numbered(events: Sequence[bytes]) -> list[bytes]:
    """Responses events in their new order."""
    told = [json.loads(event.split(b"data: ")[1]) for event in events]
    return [sse(row | {"sequence_number": i}, row["type"]) for i, row in enumerate(told)]


FOUND = searching()
SEARCHED = numbered([FOUND[0], *FOUND[5:11], *FOUND[1:5], *FOUND[11:]])
LONG_RUN = [*tool_run()[:11], *[said("")] * 3, *tool_run()[11:]]
RUN = paced(tool_run(), {11: 900})
ASLEEP = [(t if t < 700 else max(t, 9_000.0), data) for t, data in on(RUN)]
CUT_CALL = [*SEARCH[:10], SEARCH[10], SEARCH[10], *SEARCH[11:]]
TWO_NODES = [
    *[runs("draft"), *map(said, words(9)), ended("draft")],  # 0 … 10
    *[runs("review"), *map(said, words(9)), ended("review"), said("", "stop"), DONE],  # 11 …
]
TWO_TOOLS = [*map(said, words(6)), *calls("a1"), *calls("a2"), answers("a1"), answers("a2"), *map(said, words(8))]
TWO_TOOLS += [said("", "stop"), DONE]
HTTP = [*map(said, words(7)), runs("http"), ended("http"), *map(said, words(7)), said("", "stop"), DONE]

CASES: dict[str, Unseen] = {
    "second-node-waits-4-s-for-its-first-word": fine(
        *ladder(paced(TWO_NODES, {12: 4_000}), "app", "proxy", wire="fastgpt")
    ),
    "tool-runs-5-s-and-the-model-reads-3-s": fine(flow("app", paced(tool_run(), {11: 5_000, 12: 3_000}))),
    "two-tools-side-by-side": fine(flow("app", paced(TWO_TOOLS, {10: 3_000, 11: 4_500}))),
    "request-node-of-8-s": fine(*ladder(paced(HTTP, {8: 8_000}), "app", "proxy", wire="fastgpt")),
    "claude-searches-and-reads": fine(
        *ladder(paced(SEARCH, {12: 4_000, 14: 3_500}), "engine", "gateway", wire="anthropic")
    ),
    "search-between-the-words": fine(
        hop("engine", paced(SEARCHED, {9: 2_500, 10: 3_000, 11: 2_400}), wire="responses")
    ),
    "beats-while-the-tool-runs": fine(flow("app", paced(LONG_RUN, {11: 9_900, 12: 9_900, 13: 9_900, 14: 2_000}))),
    # nothing explains these
    "tool-never-answers": fault("stall", "app", flow("app", paced(tool_run()[:11], {}), end="open", end_ms=65_000.0)),
    "first-node-hangs-before-it-ends": fault("stall", "app", flow("app", paced(TWO_NODES, {10: 9_000}))),
    "hole-between-two-nodes": fault(
        "stall", "app", *ladder(paced(TWO_NODES, {11: 7_000}), "app", "proxy", wire="fastgpt")
    ),
    "second-node-silent-for-14-s": fault("stall|first-byte", "app", flow("app", paced(TWO_NODES, {12: 14_000}))),
    "words-stop-in-the-second-node": fault("stall", "app", flow("app", paced(TWO_NODES, {16: 6_000}))),
    "proxy-sleeps-while-the-tool-runs": fault("burst|stall", "proxy", flow("app", RUN), flow("proxy", ASLEEP)),
    "silent-in-the-arguments": fault("stall", "engine", hop("engine", paced(CUT_CALL, {11: 6_000}), wire="anthropic")),
}
