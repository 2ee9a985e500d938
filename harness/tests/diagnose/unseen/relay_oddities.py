"""More of what relays and engines do to answers without harm: tools, thinking, translations in a row."""

from __future__ import annotations

from harness.tests.diagnose.unseen.kit import DONE, Unseen, at, claude, fine, hop, on, respond, sse
from harness.tests.diagnose.unseen.shapes import (
    CALLED,
    EVEN,
    FRAGMENTS,
    HAN,
    LITELLM,
    MESSAGES,
    PROSE,
    RESPONSES,
    SPOKEN,
    alone,
    block,
    call,
    claudes,
    engine,
    fastgpt,
    flow,
    inputs,
    pair,
    said,
    texts,
    tools,
    vllm,
)

WHOLE_CALL = vllm(
    {
        "tool_calls": [
            {
                "index": 0,
                "id": "call_1",
                "type": "function",
                "function": {"name": "get_weather", "arguments": "".join(FRAGMENTS)},
            }
        ]
    }
)
TWO = [
    call(0, "", name="get_weather", ident="c1"),
    *[call(0, f) for f in FRAGMENTS],
    call(1, "", name="get_time", ident="c2"),
    *[call(1, f) for f in ('{"tz":', ' "CET"}')],
]
USAGE = {"prompt_tokens": 9, "completion_tokens": 36, "total_tokens": 45}


def chars(words: list[str]) -> list[str]:
    return list("".join(words))


CASES: dict[str, Unseen] = {
    "empty-tool-lists-beside-text": fine(
        *pair([vllm({"content": w, "tool_calls": []}) if w else w for w in SPOKEN] + said([])[1:], said(SPOKEN))
    ),
    "empty-thoughts-between": fine(
        alone(
            [
                vllm({"role": "assistant", "reasoning_content": ""}),
                *[vllm(d) for w in PROSE for d in ({"reasoning_content": w}, {"reasoning_content": ""})],
                *[vllm({"content": w, "reasoning_content": ""}) for w in HAN],
                vllm({}, "stop"),
                DONE,
            ]
        )
    ),
    "empty-chunk-with-a-role-after-the-finish": fine(
        alone([*said(SPOKEN)[:-1], vllm({"content": "", "role": "assistant"}), DONE])
    ),
    "choices-an-empty-object-at-the-end": fine(engine([*said(PROSE)[:-1], vllm({}, choices={}, usage=USAGE), DONE])),
    "usage-without-choices": fine(
        engine(
            [
                *said(PROSE)[:-1],
                sse(
                    {
                        "id": "chatcmpl-9f3c61e0a7d24b5f8f0e",
                        "object": "chat.completion.chunk",
                        "usage": USAGE | {"completion_tokens": 19},
                    }
                ),
                DONE,
            ]
        )
    ),
    "smoothed-sign-by-sign": fine(
        hop("engine", EVEN),
        hop(
            "app",
            at(
                [vllm({"role": "assistant"})]
                + [vllm({"content": c}) for c in chars(SPOKEN)]
                + [vllm({}, "stop"), DONE],
                start=260,
                gap=11,
            ),
        ),
    ),
    "arguments-in-another-order": fine(
        *pair(CALLED, tools(call(0, '{"unit":"celsius","city":"Bergen"}', name="get_weather", ident="toolu_9")))
    ),
    "whole-call-in-one-chunk": fine(*pair(tools(WHOLE_CALL), tools(WHOLE_CALL))),
    "second-call-first": fine(*pair(tools(*TWO), tools(*TWO[6:], *TWO[:6]))),
    "text-then-two-calls-to-claude": fine(
        *pair(
            [*said(PROSE)[:-2], *TWO, vllm({}, "tool_calls"), DONE],
            claudes(
                *block(0, "text", *texts(PROSE)),
                *block(1, "tool_use", *inputs(FRAGMENTS)),
                *block(2, "tool_use", *inputs(['{"tz": "CET"}']), id="c2", name="get_time", input={}),
                reason="tool_use",
            ),
            **MESSAGES,
        )
    ),
    "claude-to-chat-to-responses": fine(
        hop("engine", at(claude(SPOKEN), gap=55)),
        hop("gateway-1", on(at(said(SPOKEN), gap=57), 12), headers=LITELLM),
        hop("gateway-2", on(at(respond(SPOKEN, last={"status": "completed"}), gap=58), 30), **RESPONSES),
    ),
    "nul-and-other-escapes": fine(engine(said([*PROSE, "\x00", "\x1b[1m", "bold", "\x1b[0m"]))),
    "fastgpt-version-two": fine(
        flow(
            [
                sse({"status": "running", "name": "AI Chat", "nodeId": "n2"}, "flowNodeStatus"),
                *[fastgpt(event="answer", reasoning_content=w) for w in PROSE],
                *[fastgpt(w, event="answer") for w in HAN],
                sse(
                    {
                        "id": "r1",
                        "nodeId": "n2",
                        "moduleType": "chatNode",
                        "runningTime": 1.9,
                        "model": "qwen",
                        "tokens": 90,
                        "reasoningText": "x",
                    },
                    "flowNodeResponse",
                ),
                sse({"cTime": "2026-02-02 09:14:31"}, "updateVariables"),
                fastgpt(finish="stop", event="answer"),
                b"event: answer\ndata: [DONE]\n\n",
            ]
        )
    ),
    "decomposed-accents-composed": fine(
        *pair(
            said(["Le", " cafe\u0301", " e\u0301tait", " ferme\u0301", " a\u0300", " midi", ",", " he\u0301las", "."]),
            said(["Le", " café", " était", " fermé", " à", " midi", ",", " hélas", "."]),
        )
    ),
    "no-object-no-created-no-model": fine(
        engine(
            [sse({"choices": [{"index": 0, "delta": {"content": w}}]}) for w in PROSE]
            + [sse({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}), DONE]
        )
    ),
}
