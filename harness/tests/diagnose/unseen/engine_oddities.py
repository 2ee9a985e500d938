"""What engines really send that is whole and right, however odd it looks."""

from __future__ import annotations

import json

from harness.tests.diagnose.build import ollama
from harness.tests.diagnose.unseen.kit import DONE, Unseen, at, fine, hop, ladder, sse
from harness.tests.diagnose.unseen.shapes import (
    ASK,
    FRAGMENTS,
    HALF,
    HAN,
    NDJ,
    PROSE,
    WHOLE,
    asked,
    beats,
    call,
    closed,
    completion,
    engine,
    every,
    llama,
    native,
    one_json,
    said,
    sglang,
    tgi,
    thinks,
    tools,
    vllm,
)

CASES: dict[str, Unseen] = {
    "id-and-name-on-every-fragment": fine(engine(tools(*every(FRAGMENTS)))),
    "fragments-with-null-id-and-name": fine(
        engine(
            tools(
                call(0, "", name="get_weather", ident="call_a1"),
                *[
                    vllm(
                        {
                            "tool_calls": [
                                {"index": 0, "id": None, "type": None, "function": {"name": None, "arguments": f}}
                            ]
                        }
                    )
                    for f in FRAGMENTS[1:]
                ],
            )
        )
    ),
    "call-without-arguments": fine(
        engine([*said(PROSE[:6])[:-2], *tools(call(0, "{}", name="list_open_tickets", ident="call_0"))[1:]])
    ),
    "name-in-two-pieces": fine(
        engine(
            tools(
                call(0, "", name="get_", ident="call_a1"), call(0, "", name="weather"), *[call(0, f) for f in FRAGMENTS]
            )
        )
    ),
    "older-function-call": fine(
        engine(
            [
                vllm({"role": "assistant", "content": None, "function_call": {"name": "get_weather", "arguments": ""}}),
                *[vllm({"function_call": {"arguments": f}}) for f in FRAGMENTS],
                vllm({}, "function_call"),
                DONE,
            ]
        )
    ),
    "finish-reason-left-out-until-the-end": fine(
        engine([d.replace(b', "logprobs": null, "finish_reason": null', b"") for d in said(HAN)])
    ),
    "all-fields-null": fine(
        engine([sglang(role="assistant", content=""), *[sglang(content=w) for w in PROSE], closed(), DONE])
    ),
    "last-token-with-the-length": fine(
        engine([*said(PROSE)[:-2], vllm({"content": " Then"}, "length", choice={"stop_reason": None}), DONE])
    ),
    "prompt-progress-then-timings": fine(
        engine(
            [
                *[
                    llama(
                        {"role": "assistant", "content": None} if not i else {},
                        prompt_progress={"total": 9000, "cache": 0, "processed": i * 3000, "time_ms": i * 800},
                    )
                    for i in range(4)
                ],
                *[
                    llama(
                        {"content": w},
                        timings={"predicted_n": i, "predicted_ms": i * 14.5, "draft_n": 2, "draft_n_accepted": 1},
                    )
                    for i, w in enumerate(PROSE)
                ],
                llama({}, "stop", timings={"prompt_n": 9000, "predicted_n": 19}),
                DONE,
            ],
            gap=800,
        )
    ),
    "llama-own-endpoint": fine(
        engine(
            [
                *[native(w) for w in PROSE],
                native("", True, stop_type="eos", stopping_word="", truncated=False, timings={"predicted_n": 19}),
            ],
            asked=asked("/completion", prompt="Rain"),
            wire="other",
        )
    ),
    "text-completions": fine(
        engine(
            [*[completion(w) for w in PROSE], completion("", "stop"), DONE],
            asked=asked("/v1/completions", prompt="Rain"),
        )
    ),
    "tgi-generate-stream": fine(
        engine(
            [
                *[tgi(i, w) for i, w in enumerate(PROSE[:-1], 1)],
                tgi(
                    19,
                    ".",
                    generated_text="".join(PROSE),
                    details={"finish_reason": "eos_token", "generated_tokens": 19, "seed": None},
                ),
            ],
            asked=asked("/generate_stream", inputs="Rain"),
            wire="other",
        )
    ),
    "ollama-calls-a-tool": fine(
        engine(
            [
                thinks("They want the file."),
                json.dumps(
                    {
                        "model": "qwen3-coder:30b",
                        "message": {
                            "role": "assistant",
                            "content": "",
                            "tool_calls": [
                                {
                                    "id": "call_i9r62nxq",
                                    "function": {"index": 0, "name": "read_file", "arguments": {"path": "README.md"}},
                                }
                            ],
                        },
                        "done": False,
                    }
                ).encode()
                + b"\n",
                ollama("", done=True, done_reason="stop", eval_count=55, eval_duration=903309000),
            ],
            gap=500,
            asked=asked("/api/chat"),
            wire="ollama",
            **NDJ,
        )
    ),
    "ollama-crlf-and-blank-lines": fine(
        engine(
            [ollama(w).replace(b"\n", b"\r\n\r\n") for w in PROSE]
            + [ollama("", done=True, done_reason="stop", eval_count=19)],
            asked=asked("/api/chat"),
            wire="ollama",
            **NDJ,
        )
    ),
    "ollama-sign-split-between-reads": fine(
        hop(
            "engine",
            [
                (t + d, piece)
                for t, line in at(
                    [*[ollama(w + "🌫️") for w in HAN], ollama("", done=True, done_reason="stop", eval_count=38)], gap=60
                )
                for cut in [line.find("🌫".encode()) + 2 if "🌫".encode() in line else 40]
                for d, piece in ((0.0, line[:cut]), (6.0, line[cut:]))
            ],
            asked=asked("/api/chat"),
            wire="ollama",
            **NDJ,
        )
    ),
    "ollama-last-line-unended": fine(
        engine(
            [*[ollama(w) for w in PROSE], ollama("", done=True, done_reason="stop", eval_count=19).rstrip(b"\n")],
            asked=asked("/api/chat"),
            wire="ollama",
            **NDJ,
        )
    ),
    "speaks-of-the-markers": fine(
        engine(
            said(
                [
                    "Each turn is wrapped",
                    " like this:\n\n```\n",
                    "<|im_start|>user\n",
                    "Hi",
                    "<|im_end|>\n",
                    "```\n\nThe `<think>`",
                    " block is closed",
                    " by `</think>`",
                    " before the answer.",
                ]
            ),
            request={"model": "m", "stream": True, "messages": ASK},
        )
    ),
    "half-signs-among-the-logprobs": fine(
        engine(
            [
                vllm({"role": "assistant", "content": ""}),
                *[
                    vllm({"content": t}, choice={"logprobs": {"content": p}})
                    for t, p in (
                        (" sun", [WHOLE]),
                        ("", [HALF]),
                        (" 🌞", [HALF | {"bytes": [140, 158]}]),
                        (" sun", [WHOLE]),
                    )
                ]
                * 4,
                vllm({"content": ""}, "stop"),
                DONE,
            ],
            request={"model": "m", "stream": True, "logprobs": True, "messages": []},
        )
    ),
    "laughs-the-same-each-time": fine(
        *ladder(at(said(["ha"] * 14 + ["\n", "\n"] + ["| --- "] * 6 + ["|"])), "engine", "gateway")
    ),
    "two-choices-in-one-event": fine(
        engine(
            [
                *[
                    sse(
                        {
                            "id": "c",
                            "object": "chat.completion.chunk",
                            "choices": [
                                {"index": i, "delta": {"content": t}, "finish_reason": None}
                                for i, t in ((1, b), (0, a))
                            ],
                        }
                    )
                    for a, b in zip(PROSE, HAN, strict=True)
                ],
                sse(
                    {
                        "id": "c",
                        "object": "chat.completion.chunk",
                        "choices": [{"index": i, "delta": {}, "finish_reason": "stop"} for i in (0, 1)],
                    }
                ),
                DONE,
            ],
            request={"model": "m", "stream": True, "n": 2, "messages": []},
        )
    ),
    "thinks-answers-thinks-answers": fine(
        *ladder(
            at(
                [
                    vllm({"role": "assistant"}),
                    *[vllm({k: w}) for k in ("reasoning", "content", "reasoning", "content") for w in PROSE[:8]],
                    vllm({}, "stop"),
                    DONE,
                ]
            ),
            "engine",
            "app",
        )
    ),
    "mistral-parts": fine(
        engine(
            [
                *[
                    vllm({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": w}]}]})
                    for w in PROSE[:9]
                ],
                *[vllm({"content": [{"type": "text", "text": w}]}) for w in HAN],
                vllm({"content": ""}, "stop"),
                DONE,
            ]
        )
    ),
    "refuses-in-its-own-field": fine(
        engine(
            [
                vllm({"role": "assistant", "content": None, "refusal": ""}),
                *[vllm({"refusal": w}) for w in ["I'm", " sorry", ",", " I", " can't", " help", " with", " that", "."]],
                vllm({}, "stop"),
                DONE,
            ]
        )
    ),
    "blank-lines-before-one-json": fine(
        hop(
            "engine",
            [*beats(4), (8_600.0, one_json("It is done."))],
            headers=(("content-type", "application/json"),),
            request={"model": "deepseek-chat", "stream": False, "messages": []},
        )
    ),
    "upper-case-stop": fine(engine(said(PROSE, "STOP"))),
    "stopped-for-repeating": fine(engine(said(PROSE * 2, "repetition"))),
    "json-out-of-room-and-says-so": fine(
        engine(
            said(['{"items": [', '{"id": 1, "name": "bolt"}', ", ", '{"id": 2, "na'], "length"),
            request={
                "model": "m",
                "stream": True,
                "max_tokens": 24,
                "response_format": {"type": "json_object"},
                "messages": [],
            },
        )
    ),
    "stop-text-wanted-in-the-answer": fine(
        engine(
            said([*PROSE, "\n###"]),
            request={"model": "m", "stream": True, "stop": ["###"], "include_stop_str_in_output": True, "messages": []},
        )
    ),
    "usage-after-done": fine(
        engine(
            [
                *said(PROSE),
                sse(
                    {
                        "id": "chatcmpl-9f3c61e0a7d24b5f8f0e",
                        "object": "chat.completion.chunk",
                        "choices": [],
                        "usage": {"prompt_tokens": 9, "completion_tokens": 19, "total_tokens": 28},
                    }
                ),
            ]
        )
    ),
    "prefill-of-9-s-at-three-hops": fine(*ladder(at(said(PROSE), start=9_200, gap=35), "engine", "gateway", "proxy")),
    "counts-in-digits": fine(engine(said(["1", "12", "123"]))),
    "draws-a-rule": fine(engine(said(["=", "==", "===", "="]))),
}
