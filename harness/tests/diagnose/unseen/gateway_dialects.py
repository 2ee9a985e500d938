"""Streams that gateways translate, or speak in dialects of their own: whole and right."""

from __future__ import annotations

from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.kit import DONE, Unseen, at, fine, hop, on, sse
from harness.tests.diagnose.unseen.shapes import (
    DIFY,
    FRAGMENTS,
    GEMINI,
    HAN,
    MESSAGES,
    ONEAPI,
    PROSE,
    RESPONSES,
    SEARCH,
    SPOKEN,
    TOLD,
    alone,
    block,
    call,
    claudes,
    completion,
    dify,
    gemini,
    inputs,
    item,
    pair,
    said,
    texts,
    thinks,
    thoughts,
    to,
    tools,
    vllm,
)

CASES: dict[str, Unseen] = {
    "claude-thinks-searches-answers": fine(
        alone(
            claudes(
                *block(0, "thinking", *thoughts(PROSE)),
                {"type": "ping"},
                *block(
                    1,
                    "server_tool_use",
                    *inputs(['{"query": ', '"bergen"}']),
                    id="srvtoolu_1",
                    name="web_search",
                    input={},
                ),
                {"type": "content_block_start", "index": 2, "content_block": SEARCH},
                {"type": "content_block_stop", "index": 2},
                *block(
                    3,
                    "text",
                    *texts(PROSE),
                    {
                        "type": "citations_delta",
                        "citation": {
                            "type": "web_search_result_location",
                            "url": "https://example.org",
                            "cited_text": "x",
                        },
                    },
                    *texts(HAN),
                ),
            ),
            **MESSAGES,
        )
    ),
    "claude-hides-a-thought": fine(
        alone(
            claudes(*block(0, "redacted_thinking", data="EmwKAhgBEgy3va3pzix"), *block(1, "text", *texts(SPOKEN))),
            **MESSAGES,
        )
    ),
    "claude-pauses-its-turn": fine(alone(claudes(*block(0, "text", *texts(SPOKEN)), reason="pause_turn"), **MESSAGES)),
    "chat-to-claude-with-a-tool": fine(
        *pair(
            tools(call(0, "", name="get_weather", ident="call_7d1"), *[call(0, f) for f in FRAGMENTS]),
            claudes(*block(0, "tool_use", *inputs(FRAGMENTS)), reason="tool_use"),
            **MESSAGES,
        )
    ),
    "ollama-thoughts-to-chat": fine(
        hop(
            "engine",
            at(
                [
                    *[thinks(w) for w in PROSE],
                    *[ollama(w) for w in HAN],
                    ollama("", done=True, done_reason="stop", eval_count=38),
                ],
                gap=55,
            ),
            wire="ollama",
            headers=NDJSON,
            asked=to("/api/chat")["asked"],
        ),
        hop(
            "gateway",
            on(
                at(
                    [
                        *[vllm({"reasoning_content": w}) for w in PROSE],
                        *[vllm({"content": w}) for w in HAN],
                        vllm({}, "stop"),
                        DONE,
                    ],
                    gap=55,
                ),
                6,
            ),
            headers=ONEAPI,
        ),
    ),
    "responses-without-text-done": fine(alone([*TOLD[:-1], TOLD[-1]], **RESPONSES)),
    "responses-thinks-calls-a-tool": fine(
        alone(
            [
                item("created", 0, response={"id": "resp_1", "status": "in_progress", "output": []}),
                item("output_item.added", 1, item={"type": "reasoning", "id": "rs_1", "summary": []}),
                *[
                    item("reasoning_summary_text.delta", 2 + i, item_id="rs_1", summary_index=0, delta=w)
                    for i, w in enumerate(PROSE)
                ],
                item("reasoning_summary_text.done", 21, item_id="rs_1", summary_index=0, text="".join(PROSE)),
                item(
                    "output_item.added",
                    22,
                    output_index=1,
                    item={
                        "type": "function_call",
                        "id": "fc_1",
                        "call_id": "call_1",
                        "name": "get_weather",
                        "arguments": "",
                        "status": "in_progress",
                    },
                ),
                *[
                    item("function_call_arguments.delta", 23 + i, output_index=1, item_id="fc_1", delta=f)
                    for i, f in enumerate(FRAGMENTS[1:])
                ],
                item("function_call_arguments.done", 27, output_index=1, item_id="fc_1", arguments="".join(FRAGMENTS)),
                item(
                    "output_item.done",
                    28,
                    output_index=1,
                    item={
                        "type": "function_call",
                        "id": "fc_1",
                        "call_id": "call_1",
                        "name": "get_weather",
                        "arguments": "".join(FRAGMENTS),
                        "status": "completed",
                    },
                ),
                item("completed", 29, response={"id": "resp_1", "status": "completed", "output": []}),
            ],
            **RESPONSES,
        )
    ),
    "gemini-native": fine(alone([*[gemini(w) for w in PROSE[:-1]], gemini(".", finishReason="STOP")], **GEMINI)),
    "dify-with-pings": fine(
        alone(
            [
                dify("workflow_started", data={"id": "w1"}),
                b"event: ping\n\n",
                *[dify("message", answer=w) for w in PROSE],
                b"event: ping\n\n",
                dify("message_end", metadata={"usage": {"total_tokens": 120}}),
            ],
            **DIFY,
        )
    ),
    "workers-ai": fine(
        alone(
            [
                *[sse({"response": w, "p": "abcdefgh"[: i % 8]}) for i, w in enumerate(PROSE)],
                sse({"response": "", "usage": {"prompt_tokens": 8, "completion_tokens": 19, "total_tokens": 27}}),
                DONE,
            ],
            **to("/client/v4/accounts/a/ai/run/@cf/meta/llama-3.1-8b-instruct", wire="other"),
        )
    ),
    "text-completions-to-chat": fine(
        *pair([*[completion(w) for w in SPOKEN], completion("", "stop"), DONE], said(SPOKEN))
    ),
}
