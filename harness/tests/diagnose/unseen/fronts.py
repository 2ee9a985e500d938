"""Chat front ends and other hops that speak for themselves: status events, fields and streams of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.capture.model import Request
from harness.tests.diagnose.unseen.bridges import PLAIN, SHORT, THOUGHT, X, calls, inside, outside, paced, thinking
from harness.tests.diagnose.unseen.chains import chain
from harness.tests.diagnose.unseen.kit import DONE, Reads, Unseen, fault, fine, hop, on, sse
from harness.tests.diagnose.unseen.rounds import EVEN, rounds
from harness.tests.diagnose.unseen.rungs import NGINX, TEXT, spoken
from harness.tests.diagnose.unseen.shapes import MESSAGES, block, claudes, texts, vllm

PAGE: dict[str, Any] = {
    "wire": "other", "headers": NGINX, **X,
    "asked": Request("POST", "http://app:3000/api/chat", (), {"messages": [{"role": "user", "content": "Hi"}]}),
}  # fmt: skip


def parts(words: Sequence[str]) -> list[bytes]:
    """The Vercel AI SDK's UI message stream."""
    rows: list[dict[str, Any]] = [
        {"type": "start", "messageId": "m1"},
        {"type": "start-step"},
        {"type": "text-start", "id": "0"},
    ]
    rows += [{"type": "text-delta", "id": "0", "delta": w} for w in words]
    rows += [{"type": "text-end", "id": "0"}, {"type": "finish-step"}, {"type": "finish"}]
    return [*[sse(row) for row in rows], DONE]


def at_once(events: Sequence[bytes]) -> Reads:
    return [(2_900.0, b"".join(events))]


STATUS = [
    sse({"event": {"type": "status", "data": {"description": "Searching the knowledge base", "done": done}}})
    for done in (False, True)
]
SOURCES = sse({"sources": [{"source": {"name": "ferries.pdf"}, "document": ["The ferry leaves at nine."]}]})

CASES: dict[str, Unseen] = {
    # streams of their own
    "ai-sdk-parts-over-a-good-engine": fine(inside(PLAIN), outside(parts(SHORT), "app", **PAGE)),
    "ai-sdk-parts-seen-alone": fine(outside(parts(SHORT), "app", **PAGE)),
    "ai-sdk-parts-in-one-lump": fault(
        "burst|not-streamed|first-byte", "app", inside(PLAIN), hop("app", at_once(parts(SHORT)), **PAGE)
    ),
    "ai-sdk-parts-cut": fault(
        "truncation|reset", "app", inside(PLAIN), hop("app", on(paced(parts(SHORT)), 7)[:22], end="truncated", **PAGE)
    ),
    # events beside the answer
    "open-webui-tells-its-status-and-sources": fine(
        inside(PLAIN),
        outside([sse({"selected_model_id": "qwen3"}), *STATUS, *PLAIN[:-2], SOURCES, *PLAIN[-2:]], "app", 9.0),
    ),
    "status-events-seen-alone": fine(outside([*STATUS, SOURCES, *PLAIN], "app")),
    # fields of their own
    "reasoning-told-as-details-only": fine(
        inside(thinking(THOUGHT, SHORT, "reasoning")),
        outside(
            [
                PLAIN[0],
                *[
                    vllm(
                        {
                            "content": "",
                            "reasoning_details": [
                                {"type": "reasoning.text", "text": w, "format": "unknown", "index": 0}
                            ],
                        }
                    )
                    for w in THOUGHT
                ],
                *PLAIN[1:],
            ]
        ),
    ),
    "reasoning-told-as-thinking-blocks": fine(
        inside(
            claudes(
                *block(0, "thinking", *[{"type": "thinking_delta", "thinking": w} for w in THOUGHT]),
                *block(1, "text", *texts(SHORT)),
            ),
            **MESSAGES,
        ),
        outside(
            [
                PLAIN[0],
                *[
                    vllm({"thinking_blocks": [{"type": "thinking", "thinking": w}], "reasoning_content": w})
                    for w in THOUGHT
                ],
                *PLAIN[1:],
            ]
        ),
    ),
    "call-told-the-old-way": fine(
        inside([vllm({"role": "assistant", "content": None}), *calls((0, 1, 2))[1:4], vllm({}, "tool_calls"), DONE]),
        outside(
            [
                vllm({"role": "assistant", "content": None}),
                vllm({"function_call": {"name": "get_weather", "arguments": ""}}),
                *[vllm({"function_call": {"arguments": a}}) for a in ('{"city": ', '"Bergen"}')],
                vllm({}, "function_call"),
                DONE,
            ]
        ),
    ),
    "refusal-told-as-words": fine(
        inside([PLAIN[0], *[vllm({"refusal": w}) for w in SHORT[:12]], vllm({}, "stop"), DONE]),
        outside([PLAIN[0], *[vllm({"content": w}) for w in SHORT[:12]], vllm({}, "stop"), DONE]),
    ),
    # marks taken away
    "empty-thought-taken-off": fine(
        inside([PLAIN[0], *[vllm({"content": w}) for w in ("<think>", "\n\n", "</think>", "\n\n")], *PLAIN[1:]]),
        outside([PLAIN[0], *PLAIN[1:]]),
    ),
    "end-token-taken-off-by-the-gateway": fine(
        inside([*PLAIN[:-2], vllm({"content": "</s>"}), *PLAIN[-2:]]), outside(PLAIN)
    ),
    # rounds at engines of a pool
    "rounds-at-other-engines": fine(
        *[
            replace(c, repeat=i, exchange=f"r{i}")
            for i, name in enumerate(
                ("chatcmpl-aaaa0000bbbb1111", "chatcmpl-cccc2222dddd3333", "chatcmpl-eeee4444ffff5555")
            )
            for c in chain(
                ("engine", spoken(TEXT, id=name, system_fingerprint=f"fp_{i}")),
                ("gateway", on(spoken(TEXT, id=name, system_fingerprint=f"fp_{i}"), 4)),
            )
        ]
    ),
    "one-round-whose-recorder-died": fine(
        *rounds(4, {2: chain(("engine", EVEN), ("gateway-1", EVEN), ("proxy", on(EVEN[:20], 4), "open"))})
    ),
}
