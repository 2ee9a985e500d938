"""What engines really send that is off the specification, or hurts."""

from __future__ import annotations

from harness.tests.diagnose.build import ollama
from harness.tests.diagnose.unseen.kit import DONE, Unseen, at, fault, hop, ladder, on, sse, warn
from harness.tests.diagnose.unseen.shapes import (
    HAN,
    NDJ,
    PROSE,
    WEATHER,
    asked,
    call,
    completion,
    engine,
    native,
    said,
    tgi,
    tools,
    vllm,
)

CASES: dict[str, Unseen] = {
    "two-stops-sglang": warn(
        "malformed|duplicate|rewrite",
        "engine",
        engine([*said(PROSE)[:-3], vllm({"content": PROSE[-1]}, "stop"), vllm({"content": ""}, "stop"), DONE]),
    ),
    "token-number-as-choice": warn(
        "malformed|interleave|content|rewrite",
        "engine",
        engine(
            [vllm({"role": "assistant", "content": w}, index=i) for i, w in enumerate(PROSE)]
            + [vllm({"content": ""}, "stop", index=len(PROSE)), DONE]
        ),
    ),
    "answer-left-in-the-thoughts": warn(
        "content|truncation|loss",
        "engine",
        engine(
            [
                vllm({"role": "assistant", "content": ""}),
                *[vllm({"reasoning": w}) for w in [*PROSE, " So", " the", " answer", " is", " 42", "."]],
                vllm({"content": ""}, "stop"),
                DONE,
            ]
        ),
    ),
    "minimax-tags": warn(
        "content|malformed",
        "engine",
        engine(said(["<mm:think>", *PROSE, "</mm:think>", "The", " answer", " is", " seven", "."])),
    ),
    "mistral-tags": warn(
        "content|malformed",
        "engine",
        engine(said(["[THINK]", *PROSE, "[/THINK]", "The", " answer", " is", " seven", "."])),
    ),
    "harmony-channels": warn(
        "content|malformed",
        "engine",
        engine(
            said(
                [
                    "<|channel|>",
                    "analysis",
                    "<|message|>",
                    *PROSE,
                    "<|end|>",
                    "<|start|>assistant",
                    "<|channel|>final<|message|>",
                    "Seven",
                    ".",
                ]
            )
        ),
    ),
    "sentence-ends-with-s": warn("content|malformed", "engine", engine(said([*PROSE, "</s>"]))),
    "llama-eot": warn("content|malformed", "engine", engine(said([*PROSE, "<|eot_id|>"]))),
    "gemma-turn": warn("content|malformed", "engine", engine(said([*PROSE, "<end_of_turn>\n"]))),
    "stop-text-leaks": warn(
        "content|malformed",
        "engine",
        engine(
            said([*PROSE, "\nUser", ":"]), request={"model": "m", "stream": True, "stop": ["\nUser:"], "messages": []}
        ),
    ),
    "finish-is-the-word-null": warn(
        "malformed|rewrite",
        "engine",
        engine([d.replace(b'"finish_reason": null', b'"finish_reason": "null"') for d in said(HAN)]),
    ),
    "done-in-quotes": warn("malformed|truncation", "engine", engine([*said(PROSE)[:-1], b'data: "[DONE]"\n\n'])),
    "ran-out-but-says-stop": warn(
        "truncation|rewrite|content|malformed",
        "engine",
        engine(
            [
                *said(PROSE[:12])[:-1],
                sse(
                    {
                        "id": "chatcmpl-9f3c61e0a7d24b5f8f0e",
                        "choices": [],
                        "usage": {"prompt_tokens": 31, "completion_tokens": 12, "total_tokens": 43},
                    }
                ),
                DONE,
            ],
            request={
                "model": "m",
                "stream": True,
                "max_tokens": 12,
                "stream_options": {"include_usage": True},
                "messages": [],
            },
        ),
    ),
    "finished-then-kept-open": warn("stall|truncation", "engine", engine(said(PROSE)[:-1], end_ms=61_000.0)),
    "arguments-flushed-whole-again": fault(
        "malformed|duplicate",
        "engine",
        engine(
            tools(
                call(0, "", name="get_current_weather", ident="call_x"),
                *[call(0, WEATHER[i : i + 9]) for i in range(0, len(WEATHER), 9)],
                call(0, WEATHER),
            )
        ),
    ),
    "brace-then-the-whole-object": fault(
        "malformed|duplicate",
        "engine",
        engine(tools(call(0, "{", name="get_current_weather", ident="call_x"), call(0, WEATHER))),
    ),
    "aborted-by-the-scheduler": fault(
        "truncation|content|error", "engine", *ladder(at(said(PROSE[:9], "abort")), "engine", "gateway")
    ),
    "flat-error-in-the-stream": fault(
        "error",
        "engine",
        engine(
            [
                vllm({"role": "assistant", "content": ""}),
                sse(
                    {
                        "object": "error",
                        "message": "This model's maximum context length is 8192 tokens.",
                        "type": "BadRequestError",
                        "param": None,
                        "code": 400,
                    }
                ),
                DONE,
            ]
        ),
    ),
    "fastapi-detail-in-the-stream": fault(
        "error|malformed|truncation",
        "engine",
        engine([sse({"detail": "CUDA out of memory. Tried to allocate 2.14 GiB"})]),
    ),
    "dashscope-error": fault(
        "error",
        "engine",
        engine(
            [b'id:1\nevent:error\n:HTTP_STATUS/400\ndata:{"code":"InvalidParameter","message":"Too long"}\n\n'],
            wire="other",
        ),
    ),
    "text-completions-cut": fault(
        "truncation",
        "engine",
        engine([completion(w) for w in PROSE[:8]], asked=asked("/v1/completions", prompt="Rain")),
    ),
    "llama-own-endpoint-cut": fault(
        "truncation",
        "engine",
        engine(
            [native(w) for w in PROSE[:8]], asked=asked("/completion", prompt="Rain"), wire="other", end="truncated"
        ),
    ),
    "tgi-error-in-the-stream": fault(
        "error",
        "engine",
        engine(
            [
                *[tgi(i, w) for i, w in enumerate(PROSE[:6], 1)],
                b'data:{"error":"Request failed during generation: CUDA error","error_type":"generation"}\n\n',
            ],
            asked=asked("/generate_stream", inputs="Rain"),
            wire="other",
        ),
    ),
    "stopped-for-5-s-by-a-graph-capture": fault(
        "stall",
        "engine",
        *ladder(
            at(said(PROSE * 2), gap=40)[:20] + on(at(said(PROSE * 2), gap=40)[20:], 5_000), "engine", "gateway", "app"
        ),
    ),
    "grammar-compiled-for-14-s": fault(
        "first-byte", "engine", *ladder(at(said(PROSE), start=14_300), "engine", "gateway", head_ms=40.0)
    ),
    "ollama-unloads-in-the-middle": fault(
        "truncation|error|reset",
        "engine",
        hop("engine", at([ollama(w) for w in PROSE[:11]]), asked=asked("/api/chat"), wire="ollama", end="reset", **NDJ),
    ),
    "three-snapshots": fault("duplicate", "engine", engine(said(["The ", "The ferry ", "The ferry left."]))),
    "snapshots-from-one-sign-on": fault("duplicate", "engine", engine(said(["".join(HAN[: i + 1]) for i in range(5)]))),
}
