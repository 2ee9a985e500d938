"""What gateways make of engines' streams without harm, however odd it looks."""

from __future__ import annotations

from harness.tests.diagnose.unseen.kit import DONE, Unseen, fine, hop, on, sse
from harness.tests.diagnose.unseen.shapes import (
    EVEN,
    FRAGMENTS,
    HAN,
    LITELLM,
    ONEAPI,
    PROSE,
    SPOKEN,
    alone,
    fastgpt,
    flow,
    pair,
    said,
    vllm,
)

CASES: dict[str, Unseen] = {
    "falls-back-to-another-model-in-the-middle": fine(
        alone(
            [
                *[
                    sse(
                        {
                            "id": "chatcmpl-A",
                            "object": "chat.completion.chunk",
                            "created": 1,
                            "model": "qwen3-32b",
                            "choices": [{"index": 0, "delta": {"content": w}}],
                        }
                    )
                    for w in SPOKEN[:15]
                ],
                *[
                    sse(
                        {
                            "id": "chatcmpl-B",
                            "object": "chat.completion.chunk",
                            "created": 9,
                            "model": "deepseek-v3",
                            "choices": [{"index": 0, "delta": {"content": w}}],
                        }
                    )
                    for w in SPOKEN[15:]
                ],
                sse(
                    {
                        "id": "chatcmpl-B",
                        "object": "chat.completion.chunk",
                        "created": 9,
                        "model": "deepseek-v3",
                        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                    }
                ),
                DONE,
            ]
        )
    ),
    "created-counts-on": fine(
        alone([d.replace(b"1770023671", str(1770023671 + i).encode()) for i, d in enumerate(said(SPOKEN))])
    ),
    "reasoning-with-details-beside": fine(
        alone(
            [
                b": OPENROUTER PROCESSING\n\n",
                b": OPENROUTER PROCESSING\n\n",
                *[
                    sse(
                        {
                            "id": "gen-17",
                            "provider": "DeepInfra",
                            "object": "chat.completion.chunk",
                            "model": "m",
                            "choices": [
                                {
                                    "index": 0,
                                    "delta": {
                                        "role": "assistant",
                                        "content": "",
                                        "reasoning": w,
                                        "reasoning_details": [
                                            {"type": "reasoning.text", "text": w, "format": "unknown", "index": 0}
                                        ],
                                    },
                                    "finish_reason": None,
                                    "native_finish_reason": None,
                                }
                            ],
                        }
                    )
                    for w in PROSE
                ],
                *[
                    sse(
                        {
                            "id": "gen-17",
                            "provider": "DeepInfra",
                            "object": "chat.completion.chunk",
                            "model": "m",
                            "choices": [
                                {
                                    "index": 0,
                                    "delta": {"role": "assistant", "content": w},
                                    "finish_reason": None,
                                    "native_finish_reason": None,
                                }
                            ],
                        }
                    )
                    for w in HAN
                ],
                sse(
                    {
                        "id": "gen-17",
                        "provider": "DeepInfra",
                        "object": "chat.completion.chunk",
                        "model": "m",
                        "choices": [
                            {
                                "index": 0,
                                "delta": {"role": "assistant", "content": ""},
                                "finish_reason": "stop",
                                "native_finish_reason": "stop",
                            }
                        ],
                    }
                ),
                sse(
                    {
                        "id": "gen-17",
                        "provider": "DeepInfra",
                        "object": "chat.completion.chunk",
                        "model": "m",
                        "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
                        "usage": {"prompt_tokens": 14, "completion_tokens": 37, "total_tokens": 51, "cost": 0.00012},
                    }
                ),
                DONE,
            ]
        )
    ),
    "web-citations-beside-the-text": fine(
        alone(
            [
                *said(SPOKEN)[:-2],
                vllm(
                    {
                        "content": "",
                        "annotations": [
                            {
                                "type": "url_citation",
                                "url_citation": {
                                    "url": "https://example.org",
                                    "title": "t",
                                    "start_index": 0,
                                    "end_index": 4,
                                },
                            }
                        ],
                    }
                ),
                vllm({"content": ""}, "stop"),
                DONE,
            ]
        )
    ),
    "hook-results-before-the-answer": fine(
        *pair(
            said(SPOKEN),
            [
                vllm(
                    {},
                    choice={"finish_reason": None},
                    hook_results={"before_request_hooks": [{"verdict": True, "id": "g1", "checks": []}]},
                ),
                *said(SPOKEN),
            ],
        )
    ),
    "thought-tags-made-a-field": fine(
        *pair(
            said(["<think>\n", *PROSE, "\n</think>", "\n\n", *HAN]),
            [fastgpt(reasoning_content=w) for w in ["\n", *PROSE, "\n"]]
            + [fastgpt(w) for w in HAN]
            + [fastgpt(finish="stop"), DONE],
            wire="fastgpt",
        )
    ),
    "citation-marks-taken-out": fine(
        *pair(
            said([*PROSE, "[67e517e7a3b1c2d3e4f5a6b7](CITE)", *HAN]),
            [fastgpt(w) for w in PROSE + HAN] + [fastgpt(finish="stop"), DONE],
            wire="fastgpt",
        )
    ),
    "leading-line-breaks-trimmed": fine(*pair(said(["\n\n", *SPOKEN]), said(SPOKEN))),
    "fastgpt-asks-the-user": fine(
        flow(
            [
                sse({"status": "running", "name": "User Select"}, "flowNodeStatus"),
                sse(
                    {
                        "interactive": {
                            "type": "userSelect",
                            "params": {
                                "description": "Which order?",
                                "userSelectOptions": [{"key": "a", "value": "41"}],
                            },
                        }
                    },
                    "interactive",
                ),
                fastgpt(finish="stop", event="answer"),
                b"event: answer\ndata: [DONE]\n\n",
                sse(
                    [{"nodeId": "n1", "moduleName": "User Select", "moduleType": "userSelect", "runningTime": 0.02}],
                    "flowResponses",
                ),
            ]
        )
    ),
    "fastgpt-tools-then-text": fine(
        flow(
            [
                sse({"status": "running", "name": "Agent"}, "flowNodeStatus"),
                sse(
                    {
                        "tool": {
                            "id": "call_1",
                            "toolName": "Weather",
                            "toolAvatar": "",
                            "functionName": "weather",
                            "params": "",
                            "response": "",
                        }
                    },
                    "toolCall",
                ),
                *[
                    sse(
                        {"tool": {"id": "call_1", "toolName": "", "toolAvatar": "", "params": p, "response": ""}},
                        "toolParams",
                    )
                    for p in FRAGMENTS[1:]
                ],
                sse(
                    {
                        "tool": {
                            "id": "call_1",
                            "toolName": "",
                            "toolAvatar": "",
                            "params": "",
                            "response": '{"temp": 4}',
                        }
                    },
                    "toolResponse",
                ),
                *[fastgpt(w, event="answer") for w in PROSE],
                fastgpt(finish="stop", event="answer"),
                b"event: answer\ndata: [DONE]\n\n",
                sse([{"nodeId": "n1", "moduleType": "tools", "runningTime": 2.1}], "flowResponses"),
                sse({"durationSeconds": 2.31}, "workflowDuration"),
                sse({"title": "Rain"}, "chatTitle"),
            ]
        )
    ),
    "429-then-another-provider": fine(
        hop("gateway", on(EVEN, 3_400), headers=(*LITELLM, ("x-litellm-attempted-retries", "1")))
    ),
    "usage-made-up-by-the-gateway": fine(
        *pair(
            said(SPOKEN),
            [
                *said(SPOKEN)[:-1],
                vllm({}, choices=[], usage={"prompt_tokens": 9, "completion_tokens": 36, "total_tokens": 45}),
                DONE,
            ],
            headers=ONEAPI,
        )
    ),
}
