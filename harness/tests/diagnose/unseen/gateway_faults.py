"""What gateways make of engines' streams: off the specification, or harmful."""

from __future__ import annotations

import json
from dataclasses import replace

from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.kit import DONE, Unseen, at, claude, fault, hop, on, refusal, sse, warn
from harness.tests.diagnose.unseen.shapes import (
    CALLED,
    DIFY,
    EVEN,
    FAILED,
    FRAGMENTS,
    HAN,
    JSON,
    LITELLM,
    MESSAGES,
    ONEAPI,
    PROSE,
    RESPONSES,
    SPOKEN,
    TOLD,
    alone,
    block,
    call,
    claudes,
    dify,
    fastgpt,
    inputs,
    item,
    pair,
    said,
    texts,
    thinks,
    thoughts,
    to,
    vllm,
)

CASES: dict[str, Unseen] = {
    "claude-blocks-with-holes": warn(
        "malformed|rewrite",
        "gateway",
        alone(
            claudes(
                *block(0, "thinking", *thoughts(PROSE)),
                {"type": "content_block_stop", "index": 1},
                *block(2, "text", *texts(PROSE)),
                *block(4, "tool_use", *inputs(FRAGMENTS)),
                reason="tool_use",
            ),
            **MESSAGES,
        ),
    ),
    "claude-text-then-thought-under-one-index": warn(
        "malformed|interleave",
        "gateway",
        alone(
            claudes(
                *block(0, "text", *texts(["---", "\n"]), stop=False),
                *block(0, "thinking", *thoughts(PROSE)),
                *block(1, "text", *texts(SPOKEN)),
            ),
            **MESSAGES,
        ),
    ),
    "claude-deltas-without-a-start": warn(
        "malformed", "gateway", alone(claudes(*block(0, "text", *texts(SPOKEN), start=False, stop=False)), **MESSAGES)
    ),
    "claude-starts-twice": warn(
        "malformed|duplicate", "gateway", alone([claudes()[0], *claudes(*block(0, "text", *texts(SPOKEN)))], **MESSAGES)
    ),
    "claude-stops-twice": warn(
        "malformed|duplicate",
        "gateway",
        alone([*claudes(*block(0, "text", *texts(SPOKEN))), claudes()[-1]], **MESSAGES),
    ),
    "finish-between-two-calls": warn(
        "malformed|rewrite|truncation",
        "gateway",
        alone(
            [
                vllm({"role": "assistant"}),
                call(0, '{"a": 1}', name="add", ident="c1"),
                vllm({}, "stop"),
                call(1, '{"a": 2}', name="add", ident="c2"),
                vllm({}, "tool_calls"),
                DONE,
            ]
        ),
    ),
    "responses-number-one-again": warn(
        "malformed|reorder|rewrite|content|duplicate",
        "gateway",
        alone(
            [
                *TOLD[:-1],
                item("output_item.done", 1, item={"id": "m1", "type": "message", "status": "completed"}),
                TOLD[-1],
            ],
            **RESPONSES,
        ),
    ),
    "chunk-sizes-inside-the-body": warn(
        "malformed|headers", "gateway", *pair(EVEN, [(t, f"{len(d):x}\r\n".encode() + d + b"\r\n") for t, d in EVEN])
    ),
    "terminator-of-its-own": warn(
        "truncation|malformed|rewrite",
        "gateway",
        *pair(said(SPOKEN), [*said(SPOKEN)[:-1], b"event: end\ndata: {}\n\n"]),
    ),
    "claude-call-loses-its-input": fault(
        "loss|malformed",
        "gateway",
        *pair(CALLED, claudes(*block(0, "text"), *block(1, "tool_use"), reason="tool_use"), **MESSAGES),
    ),
    "claude-text-becomes-empty-input": fault(
        "loss|malformed", "gateway", *pair(said(SPOKEN), claudes(*block(0, "text", *inputs([""] * 36))), **MESSAGES)
    ),
    "claude-first-delta-lost": fault(
        "loss", "gateway", *pair(said(SPOKEN), claudes(*block(0, "text", *texts(SPOKEN[1:]))), **MESSAGES)
    ),
    "claude-block-for-each-fragment": fault(
        "malformed|interleave|loss",
        "gateway",
        *pair(
            CALLED,
            claudes(
                *[row for i, f in enumerate(FRAGMENTS[1:]) for row in block(i, "tool_use", *inputs([f]), id="toolu_1")],
                reason="tool_use",
            ),
            **MESSAGES,
        ),
    ),
    "claude-to-chat-drops-split-lines": fault(
        "loss",
        "gateway",
        hop("engine", at(claude(SPOKEN), gap=55)),
        hop("gateway", on(at(said([w for i, w in enumerate(SPOKEN) if i not in (7, 22)]), gap=58), 9), headers=ONEAPI),
    ),
    "two-thoughts-then-no-more": fault(
        "loss|content",
        "gateway",
        hop(
            "engine",
            at(
                [*[thinks(w) for w in PROSE], *[ollama(w) for w in HAN], ollama("", done=True, done_reason="stop")],
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
                        *[vllm({"reasoning_content": w}) for w in PROSE[:2]],
                        *[vllm({"content": ""})] * 16,
                        *[vllm({"content": w}) for w in HAN],
                        vllm({}, "stop"),
                        DONE,
                    ],
                    gap=55,
                ),
                6,
            ),
            headers=LITELLM,
        ),
    ),
    "responses-done-without-deltas": fault(
        "burst|not-streamed|loss|first-byte",
        "gateway",
        hop("engine", EVEN),
        hop(
            "gateway",
            [
                (430.0, TOLD[0]),
                *[
                    (EVEN[-1][0] + 6 + i, d)
                    for i, d in enumerate(
                        [
                            item("output_text.done", 1, content_index=0, text="".join(SPOKEN)),
                            item("completed", 2, response={"id": "resp_1", "status": "completed", "output": []}),
                        ]
                    )
                ],
            ],
            headers=LITELLM,
            **RESPONSES,
        ),
    ),
    "chat-error-frame-on-responses": fault(
        "error|truncation",
        "gateway",
        alone(
            [
                *TOLD[:14],
                sse(
                    {
                        "error": {
                            "message": "litellm.InternalServerError: upstream hung up",
                            "type": None,
                            "param": None,
                            "code": "500",
                        }
                    }
                ),
            ],
            **RESPONSES,
        ),
    ),
    "capacity-error-told-as-empty-success": fault(
        "error|truncation|content|loss",
        "gateway",
        hop(
            "engine",
            at(
                [
                    sse(
                        {
                            "id": "gen-9",
                            "object": "chat.completion.chunk",
                            "choices": [],
                            "error": {
                                "code": 502,
                                "message": "Worker local total request limit reached (33/32)",
                                "metadata": {"error_type": "provider_unavailable"},
                            },
                        }
                    ),
                    DONE,
                ]
            ),
        ),
        alone(
            [
                TOLD[0],
                item("completed", 1, response={"id": "resp_1", "status": "completed", "error": None, "output": []}),
            ],
            **RESPONSES,
        ),
    ),
    "reset-told-in-plain-text": fault(
        "reset|truncation",
        "engine",
        hop("engine", EVEN[:20], end="reset"),
        hop("gateway", [*on(EVEN[:20], 9), (EVEN[19][0] + 12, b"upstream error: read ECONNRESET\n")], headers=ONEAPI),
    ),
    "plain-text-tells-of-a-reset": fault(
        "truncation|error|malformed|reset",
        "gateway",
        hop("gateway", [*EVEN[:20], (EVEN[19][0] + 12, b"upstream error: read ECONNRESET\n")], headers=ONEAPI),
    ),
    "three-gateways-of-which-one-lies": fault(
        "error|truncation|content",
        "gateway-1",
        hop("engine", [*EVEN[:18], (1_300.0, FAILED), (1_301.0, DONE)]),
        hop("gateway-1", on([*EVEN[:18], (1_302.0, DONE)], 4), headers=ONEAPI),
        hop(
            "gateway-2",
            on(at([fastgpt(w) for w in SPOKEN[:17]] + [fastgpt(finish="stop"), DONE], gap=57), 40),
            wire="fastgpt",
        ),
    ),
    "gemini-array-of-errors": fault(
        "error",
        "gateway",
        refusal(
            "gateway",
            429,
            [
                {
                    "error": {
                        "code": 429,
                        "message": "Resource has been exhausted (e.g. check quota).",
                        "status": "RESOURCE_EXHAUSTED",
                    }
                }
            ],
        ),
    ),
    "dify-error": fault(
        "error",
        "gateway",
        alone(
            [
                dify("message", answer="Let me"),
                dify("error", status=400, code="completion_request_error", message="[openai] Rate Limit Error"),
            ],
            **DIFY,
        ),
    ),
    "fastgpt-key-refused-with-200": fault(
        "error|not-streamed",
        "gateway",
        hop(
            "gateway",
            [
                (
                    31.0,
                    json.dumps(
                        {"code": 514, "statusText": "unAuthApiKey", "message": "Key is error", "data": None}
                    ).encode(),
                )
            ],
            headers=JSON,
            wire="fastgpt",
        ),
    ),
    "gateway-holds-tools-to-the-end": fault(
        "burst|not-streamed|stall|first-byte",
        "gateway",
        hop(
            "engine",
            CALLED[:2]
            + at(
                [call(0, f'"k{i}": {i}, ' if i else '{"k": 0, ') for i in range(40)]
                + [call(0, '"z": 0}'), vllm({}, "tool_calls"), DONE],
                start=330,
                gap=80,
            ),
        ),
        hop(
            "gateway",
            [
                (CALLED[0][0] + 3, CALLED[0][1]),
                (
                    3_900.0,
                    b"".join(
                        [
                            CALLED[1][1],
                            *[call(0, f'"k{i}": {i}, ' if i else '{"k": 0, ') for i in range(40)],
                            call(0, '"z": 0}'),
                            vllm({}, "tool_calls"),
                            DONE,
                        ]
                    ),
                ),
            ],
            headers=LITELLM,
        ),
    ),
    "answer-cached-of-another-question": fault(
        "content|rewrite|loss|interleave",
        "gateway",
        *[
            replace(c, exchange="x-41")
            for c in pair(said(SPOKEN), [d.replace(b"9f3c61e0a7d24b5f8f0e", b"00aa") for d in said(HAN * 2)])
        ],
    ),
    "finish-told-before-the-last-words": fault(
        "reorder|malformed",
        "gateway",
        *pair(EVEN, [*EVEN[:-6], (EVEN[-6][0] - 4, EVEN[-2][1]), (EVEN[-6][0] - 3, DONE), *EVEN[-6:-2]]),
    ),
}
