"""Bridges: one dialect inside, another outside, over two to four taps; calls, thoughts, odds, sound and sources."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from harness.capture.model import Capture
from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.kit import DONE, Reads, Unseen, at, fault, fine, hop, on, sse
from harness.tests.diagnose.unseen.rungs import NGINX, TEXT, worded
from harness.tests.diagnose.unseen.shapes import (
    LITELLM,
    MESSAGES,
    RESPONSES,
    VLLM,
    block,
    claudes,
    fastgpt,
    inputs,
    item,
    texts,
    thoughts,
    vllm,
)  # fmt: skip

THOUGHT = worded("The user wants three cities compared , so I look each one up before I answer .")
CITIES = ("Bergen", "Tromsø", "Ålesund")
X: dict[str, Any] = {"exchange": "ex-9017"}
FAST: dict[str, Any] = {"wire": "fastgpt", **X}


def paced(events: Sequence[bytes], start: float = 290.0, gap: float = 58.0) -> Reads:
    return at(events, start, gap, seed=7)


def inside(events: Sequence[bytes], **more: Any) -> Capture:
    return hop("engine", paced(events), **({"headers": VLLM} | X | more))


def outside(events: Sequence[bytes], name: str = "gateway", late: float = 7.0, **more: Any) -> Capture:
    """Paced so that it lasts as long as the 60-odd events of the inside."""
    return hop(name, on(paced(events), late), **({"headers": LITELLM} | X | more))


def calls(index_of: Sequence[int], interleaved: bool = False, finish: str = "tool_calls") -> list[bytes]:
    """Three calls in the chat dialect; ``index_of`` the index that each bears."""

    def piece(i: int, text: str, first: bool = False) -> bytes:
        row: dict[str, Any] = {"index": index_of[i], "function": {"arguments": text}}
        if first:
            row |= {"id": f"call_{i}f3", "type": "function", "function": {"name": "get_weather", "arguments": text}}
        return vllm({"tool_calls": [row]})

    parts = [[piece(i, "", True), piece(i, '{"city": '), piece(i, json.dumps(CITIES[i]) + "}")] for i in range(3)]
    rows = [row for group in (zip(*parts, strict=True) if interleaved else parts) for row in group]
    return [vllm({"role": "assistant", "content": None}), *rows, vllm({}, finish), DONE]


def uses(*arguments: Sequence[str]) -> list[bytes]:
    """Blocks of calls in Anthropic's dialect, one a list of fragments."""
    rows: list[dict[str, Any]] = []
    for i, parts in enumerate(arguments):
        rows += block(i, "tool_use", *inputs(list(parts)), id=f"toolu_0{i}", name="get_weather")
    return claudes(*rows, reason="tool_use")


def told(parts: Sequence[dict[str, Any]]) -> list[bytes]:
    """Calls in the Responses dialect."""
    rows = [item("created", 0, response={"id": "resp_7", "status": "in_progress"})]
    for part in parts:
        rows.append(item(part["kind"], len(rows), **{k: v for k, v in part.items() if k != "kind"}))
    return [*rows, item("completed", len(rows), response={"id": "resp_7", "status": "completed"})]


def functions() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for i, city in enumerate(CITIES):
        same = {"output_index": i, "item_id": f"fc_{i}"}
        made = {"type": "function_call", "id": f"fc_{i}", "call_id": f"call_{i}f3", "name": "get_weather"}
        text = json.dumps({"city": city})
        rows.append({"kind": "output_item.added", **same, "item": made | {"arguments": ""}})
        rows += [{"kind": "function_call_arguments.delta", **same, "delta": d} for d in (text[:9], text[9:])]
        rows.append({"kind": "function_call_arguments.done", **same, "arguments": text})
        rows.append({"kind": "output_item.done", **same, "item": made | {"arguments": text, "status": "completed"}})
    return rows


def thinking(thought: Sequence[str], text: Sequence[str], field: str = "reasoning_content") -> list[bytes]:
    rows = [vllm({"role": "assistant", "content": ""}), *[vllm({field: w}) for w in thought]]
    return [*rows, *[vllm({"content": w}) for w in text], vllm({}, "stop"), DONE]


def flowing(text: Sequence[str], *, finish: bool = True, nodes: Sequence[dict[str, Any]] = ()) -> list[bytes]:
    """FastGPT with details: node states around the answer."""
    rows = [sse({"status": "running", "name": "AI chat"}, "flowNodeStatus")]
    rows += [fastgpt(w, event="answer") for w in text]
    rows += [fastgpt(finish="stop", event="answer"), b"event: answer\ndata: [DONE]\n\n"] if finish else []
    return [*rows, *([sse(list(nodes), "flowResponses")] if nodes else [])]


SHORT = TEXT[:40]
PLAIN = thinking([], SHORT)
ARGS = [json.dumps({"city": c}) for c in CITIES]
NODE = {"nodeId": "n3", "moduleName": "AI chat", "moduleType": "chatNode", "runningTime": 2.61}
CLAUDE: dict[str, Any] = {"headers": NGINX, **MESSAGES, **X}
RESP: dict[str, Any] = {"headers": NGINX, **RESPONSES, **X}


CASES: dict[str, Unseen] = {
    # chat inside, Anthropic outside
    "thinks-and-answers-as-claude-behind-nginx": fine(
        inside(thinking(THOUGHT, SHORT)),
        outside(claudes(*block(0, "thinking", *thoughts(THOUGHT)), *block(1, "text", *texts(SHORT))), **CLAUDE),
        outside(
            claudes(*block(0, "thinking", *thoughts(THOUGHT)), *block(1, "text", *texts(SHORT))),
            "proxy",
            9.0,
            **CLAUDE,
        ),
    ),
    "three-calls-as-claude": fine(inside(calls((0, 1, 2))), outside(uses(*[[a[:6], a[6:]] for a in ARGS]), **CLAUDE)),
    "three-calls-run-into-one-block": fault(
        "interleave|malformed|rewrite|loss",
        "gateway",
        inside(calls((0, 1, 2))),
        outside(uses(ARGS), **CLAUDE),
    ),
    "late-fragments-go-to-the-last-block": fault(
        "interleave|malformed|rewrite|loss|reorder",
        "gateway",
        inside(calls((0, 1, 2), interleaved=True)),
        outside(
            uses([], [], ['{"city": '] * 3 + [json.dumps(c) + "}" for c in CITIES]),
            **CLAUDE,
        ),
    ),
    "the-second-block-never-told-behind-two-good-ones": fault(
        "loss|truncation|rewrite",
        "proxy",
        inside(calls((0, 1, 2))),
        outside(uses(*[[a] for a in ARGS]), **CLAUDE),
        outside(uses([ARGS[0]], [ARGS[2]]), "proxy", 9.0, **CLAUDE),
    ),
    "claude-message-start-dropped-on-the-way-to-chat": fine(
        inside(claudes(*block(0, "text", *texts(SHORT))), **MESSAGES), outside(PLAIN[1:], headers=NGINX)
    ),
    "claude-sources-dropped": fine(
        inside(
            claudes(
                *block(
                    0,
                    "text",
                    *texts(SHORT[:20]),
                    {
                        "type": "citations_delta",
                        "citation": {"type": "web_search_result_location", "url": "https://x.example"},
                    },
                    *texts(SHORT[20:]),
                )
            ),
            **MESSAGES,
        ),
        outside(PLAIN),
    ),
    "claude-thought-told-twice-in-chat": fault(
        "duplicate",
        "gateway",
        inside(claudes(*block(0, "thinking", *thoughts(THOUGHT)), *block(1, "text", *texts(SHORT))), **MESSAGES),
        outside(thinking([*THOUGHT, "".join(THOUGHT)], SHORT)),
    ),
    # Responses
    "three-functions-all-with-index-0": fault(
        "interleave|malformed|rewrite",
        "gateway",
        inside(told(functions()), **RESPONSES),
        outside(calls((0, 0, 0))),
    ),
    "three-functions-well": fine(inside(told(functions()), **RESPONSES), outside(calls((0, 1, 2)))),
    "chat-to-responses-with-an-empty-last-response": fine(
        inside(PLAIN),
        outside(
            [
                item("created", 0, response={"id": "resp_7", "status": "in_progress"}),
                *[item("output_text.delta", i + 1, delta=w, content_index=0) for i, w in enumerate(SHORT)],
                item("completed", 41, response={"id": "resp_7", "status": "completed", "output": []}),
            ],
            **RESP,
        ),
    ),
    "chat-to-responses-text-only-in-done": fault(
        "burst|not-streamed|first-byte|loss",
        "gateway",
        inside(PLAIN),
        hop(
            "gateway",
            [
                (310.0, item("created", 0, response={"id": "resp_7", "status": "in_progress"})),
                (2_760.0, item("output_text.done", 1, text="".join(SHORT), content_index=0)),
                (2_761.0, item("completed", 2, response={"id": "resp_7", "status": "completed"})),
            ],
            **RESP,
        ),
    ),
    "chat-to-responses-and-never-completed": fault(
        "truncation",
        "gateway",
        inside(PLAIN),
        outside(
            [
                item("created", 0, response={"id": "resp_7", "status": "in_progress"}),
                *[item("output_text.delta", i + 1, delta=w, content_index=0) for i, w in enumerate(SHORT[:33])],
            ],
            **RESP,
        ),
    ),
    # FastGPT outside
    "vllm-under-fastgpt-behind-nginx": fine(
        inside(PLAIN),
        outside(flowing(SHORT, nodes=[NODE]), "app", **FAST),
        outside(flowing(SHORT, nodes=[NODE]), "proxy", 10.0, headers=NGINX, **FAST),
    ),
    "vllm-reset-under-fastgpt-which-ends-well": fault(
        "reset|truncation",
        "engine",
        hop("engine", paced(PLAIN)[:22], end="reset", end_ms=1_570.0, headers=VLLM, **X),
        outside(flowing(SHORT[:21], nodes=[NODE | {"errorText": "terminated"}]), "app", **FAST),
        outside(flowing(SHORT[:21], nodes=[NODE | {"errorText": "terminated"}]), "proxy", 10.0, headers=NGINX, **FAST),
    ),
    "fastgpt-details-answered-twice-over-a-gateway": fault(
        "duplicate",
        "app",
        inside(PLAIN),
        outside(PLAIN, "gateway", 4.0),
        outside(flowing([w for w in SHORT for _ in (0, 1)], nodes=[NODE]), "app", **FAST),
    ),
    "fastgpt-keeps-thoughts-to-itself-and-is-heard-late": fault(
        "first-byte|loss|stall|rewrite",
        "app",
        inside(thinking(THOUGHT * 14, SHORT)),
        hop(
            "app",
            on(paced(thinking(THOUGHT * 14, SHORT)), 8)[239:239]
            + [(320.0, flowing([])[0])]
            + [(290 + 58.0 * (len(THOUGHT) * 14 + 1 + i) + 9, fastgpt(w, event="answer")) for i, w in enumerate(SHORT)]
            + [(18_200.0, flowing([])[1]), (18_201.0, flowing([])[2])],
            headers=NGINX,
            **FAST,
        ),
    ),
    # Ollama
    "half-of-a-short-answer-lost-no-ids": fault(
        "loss",
        "gateway",
        hop(
            "engine",
            paced([*[ollama(w) for w in SHORT[:6]], ollama("", done=True, done_reason="stop")], gap=240),
            headers=NDJSON,
            wire="ollama",
        ),
        hop("gateway", on(paced(thinking([], [*SHORT[:2], SHORT[5]]), gap=240), 6), headers=NGINX),
    ),
    "ollama-under-chat-under-nginx-with-calls": fine(
        inside(
            [
                ollama(
                    "",
                    message={
                        "role": "assistant",
                        "content": "",
                        "tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": c}}}],
                    },
                )
                for c in CITIES
            ]
            + [ollama("", done=True, done_reason="stop", eval_count=44)],
            headers=NDJSON,
            wire="ollama",
        ),
        outside(calls((0, 1, 2))),
        outside(calls((0, 1, 2)), "proxy", 9.0, headers=NGINX),
    ),
    "chat-to-ollama-last-words-lost-at-the-bridge": fault(
        "loss|truncation",
        "gateway",
        inside(PLAIN),
        outside(
            [*[ollama(w) for w in SHORT[:37]], ollama("", done=True, done_reason="stop", eval_count=40)],
            headers=NDJSON,
            wire="ollama",
        ),
    ),
    "chat-to-ollama-joined-lines": fine(
        inside(PLAIN),
        hop(
            "gateway",
            [
                (t + 5, b"".join(rows))
                for t, rows in zip(
                    [r[0] for r in paced(PLAIN)][2::2],
                    [[ollama(a), ollama(b)] for a, b in zip(SHORT[::2], SHORT[1::2], strict=True)],
                    strict=False,
                )
            ]
            + [(2_790.0, ollama("", done=True, done_reason="stop"))],
            headers=NDJSON,
            wire="ollama",
            **X,
        ),
    ),
    # four dialects in a row
    "ollama-chat-claude-fastgpt": fine(
        inside(
            [*[ollama(w) for w in SHORT], ollama("", done=True, done_reason="stop", eval_count=40)],
            headers=NDJSON,
            wire="ollama",
        ),
        outside(PLAIN, "gateway-1", 5.0),
        outside(claudes(*block(0, "text", *texts(SHORT))), "gateway-2", 9.0, **CLAUDE),
        outside(flowing(SHORT, nodes=[NODE]), "app", 14.0, **FAST),
    ),
    "ollama-chat-claude-fastgpt-a-word-lost-in-the-third": fault(
        "loss",
        "gateway-2",
        inside(
            [*[ollama(w) for w in SHORT], ollama("", done=True, done_reason="stop", eval_count=40)],
            headers=NDJSON,
            wire="ollama",
        ),
        outside(PLAIN, "gateway-1", 5.0),
        outside(claudes(*block(0, "text", *texts([*SHORT[:14], *SHORT[15:]]))), "gateway-2", 9.0, **CLAUDE),
        outside(flowing([*SHORT[:14], *SHORT[15:]], nodes=[NODE]), "app", 14.0, **FAST),
    ),
    "n-of-2-becomes-one-at-the-second-gateway": fault(
        "interleave|loss|rewrite",
        "gateway-2",
        *[
            hop(
                name,
                on(
                    paced(
                        [vllm({"content": w}, index=i if honest else 0) for w in SHORT for i in (0, 1)]
                        + [vllm({}, "stop", index=i if honest else 0) for i in (0, 1)]
                        + [DONE]
                    ),
                    late,
                ),
                headers=NGINX,
                request={"model": "m", "stream": True, "n": 2, "messages": []},
                **X,
            )
            for name, honest, late in (("engine", True, 0.0), ("gateway-1", True, 4.0), ("gateway-2", False, 8.0))
        ],
    ),
}
