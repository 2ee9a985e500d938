"""Public reports of gateways in a row, told at every tap: guardrails, bridges of calls, pools of engines, stops."""

from __future__ import annotations

from typing import Any

from harness.capture.model import Capture
from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.bridges import (
    ARGS,
    CLAUDE,
    PLAIN,
    SHORT,
    THOUGHT,
    X,
    calls,
    inside,
    outside,
    paced,
    thinking,
)  # fmt: skip
from harness.tests.diagnose.unseen.chains import chain
from harness.tests.diagnose.unseen.kit import DONE, Reads, Unseen, at, fault, fine, hop, on, refusal, sized, sse, warn
from harness.tests.diagnose.unseen.rounds import EVEN, FRONT, LONG, MID, OTHER, USER, stopped, until
from harness.tests.diagnose.unseen.rungs import NGINX, TEXT, spoken
from harness.tests.diagnose.unseen.shapes import VLLM, block, claudes, inputs, vllm

BLOCKED = sse(
    {"error": {"message": "response blocked by content policy", "type": "content_filter", "code": 400}}, "error"
)
BROKEN = b'data: {"id":"chatcmpl-9f3c61e0a7d24b5f8f0e","choices":[{"index":0,"delta":{"content":"wea\n\n'
CALLED = [
    ollama("", message={"role": "assistant", "content": "", "tool_calls": [
        {"function": {"name": "get_weather", "arguments": {"city": "Bergen"}}}]}),
    ollama("", done=True, done_reason="stop", eval_count=21),
]  # fmt: skip
KINDS = {"vllm": "engine", "litellm": "gateway", "open-webui": "app", "nginx": "proxy"}


def cleared(reads: Reads, every: int) -> Reads:
    """Each so-manieth piece keeps its event and loses its text."""
    return [
        (t, vllm({"content": ""}) if i % every == every - 1 and 0 < i < len(reads) - 2 else d)
        for i, (t, d) in enumerate(reads)
    ]


def named(*stages: tuple[str, Reads] | tuple[str, Reads, str]) -> list[Capture]:
    """A ladder whose hops bear their products' names."""
    return [
        hop(name, reads, kind=KINDS[name], exchange="ex-6001", end=end[0] if end else "complete",
            headers=VLLM if name == "vllm" else NGINX)
        for name, reads, *end in stages
    ]  # fmt: skip


def long_call(count: int) -> list[bytes]:
    """A call whose one argument comes in that many pieces."""
    made = {"index": 0, "id": "call_9c", "type": "function", "function": {"name": "write", "arguments": '{"text": "'}}
    rest = [*TEXT[: count - 2], '"}']
    rows = [{"index": 0, "function": {"arguments": text}} for text in rest]
    return [vllm({"tool_calls": [row]}) for row in (made, *rows)]


def ollama_call(count: int) -> bytes:
    """The same call in Ollama's dialect, which has no pieces of calls."""
    made = {"function": {"name": "write", "arguments": {"text": "".join(TEXT[: count - 2])}}}
    return ollama("", message={"role": "assistant", "content": "", "tool_calls": [made]})


def engine(number: int, reads: Reads, **more: Any) -> Capture:
    return hop(f"engine-{number}", reads, headers=VLLM, exchange="ex-6002", **more)


def gateway(reads: Reads, **more: Any) -> Capture:
    return hop("gateway", reads, headers=NGINX, exchange="ex-6002", **more)


OTHERS = spoken(OTHER, id="chatcmpl-00c4b8e2d19f4a7a")
NDJ = {"headers": NDJSON, "wire": "ollama"}

CASES: dict[str, Unseen] = {
    # guardrails
    "each-fifth-piece-cleared-by-a-guardrail": fault(
        "loss",
        "gateway",
        *chain(("engine", EVEN), ("gateway", cleared(on(EVEN, 4), 5)), ("proxy", cleared(on(EVEN, 7), 5))),
    ),
    "held-to-the-end-and-then-blocked": fault(
        "error",
        "gateway",
        *chain(
            ("engine", EVEN), ("gateway", [(EVEN[-1][0] + 220, BLOCKED)]), ("proxy", [(EVEN[-1][0] + 224, BLOCKED)])
        ),
    ),
    "held-to-the-end-and-then-let-go": fault(
        "burst|not-streamed|first-byte",
        "gateway-2",
        *chain(
            ("engine", EVEN),
            ("gateway-1", on(EVEN, 3)),
            ("gateway-2", [(EVEN[-1][0] + 300, b"".join(d for _, d in EVEN))]),
            ("app", [(EVEN[-1][0] + 304, b"".join(d for _, d in EVEN))]),
        ),
    ),
    # ends
    "stop-on-every-chunk-thoughts-too": warn(
        "malformed|rewrite|truncation",
        "gateway",
        inside(thinking(THOUGHT, SHORT)),
        outside(
            [row.replace(b'"finish_reason": null', b'"finish_reason": "stop"') for row in thinking(THOUGHT, SHORT)]
        ),
    ),
    "nothing-but-empty-data-lines": fault(
        "loss|truncation|not-streamed|malformed",
        "gateway",
        *chain(("engine", EVEN), ("gateway", [(t + 4, b"data: \n\n") for t, _ in EVEN])),
    ),
    "tail-rides-on-the-finish-and-a-second-finish": warn(
        "malformed|rewrite|truncation",
        "app",
        inside(PLAIN),
        outside(PLAIN, "gateway", 4.0),
        outside([*PLAIN[:-4], vllm({"content": "".join(SHORT[-2:])}, "stop"), vllm({}, "stop"), DONE], "app", 8.0),
    ),
    "a-broken-line-kills-the-gateway": fault(
        "malformed",
        "engine",
        *chain(
            ("engine", [*EVEN[:10], (EVEN[9][0] + 20, BROKEN), *EVEN[10:]]),
            (
                "gateway",
                [
                    *on(EVEN[:10], 3),
                    (EVEN[9][0] + 24, sse({"error": {"message": "Expecting value: line 1 column 94", "code": 500}})),
                ],
            ),
        ),
    ),
    # calls over bridges
    "a-call-ends-as-a-turn-in-claude": warn(
        "rewrite|malformed",
        "gateway",
        inside(calls((0, 1, 2))),
        outside(
            claudes(
                *[r for i, a in enumerate(ARGS) for r in block(i, "tool_use", *inputs([a]), id=f"toolu_{i}")],
                reason="end_turn",
            ),
            **CLAUDE,
        ),
    ),
    "ollama-call-ends-with-stop-in-chat": warn(
        "malformed|rewrite",
        "gateway",
        inside(CALLED, **NDJ),
        outside([vllm({"role": "assistant", "content": None}), *calls((0, 1, 2))[1:4], vllm({}, "stop"), DONE]),
    ),
    "ollama-call-told-as-words": warn(
        "loss|rewrite|content",
        "gateway",
        inside(CALLED, **NDJ),
        outside(
            [
                vllm({"role": "assistant", "content": ""}),
                *[
                    vllm({"content": w})
                    for w in ("{", '"name": ', '"get_weather"', ", ", '"arguments": ', '{"city": ', '"Bergen"', "}}")
                ],
                vllm({}, "stop"),
                DONE,
            ]
        ),
    ),
    "arguments-written-with-escapes": fine(
        inside(calls((0, 1, 2))),
        outside(
            [row.replace("ø".encode(), b"\\\\u00f8").replace("Å".encode(), b"\\\\u00c5") for row in calls((0, 1, 2))]
        ),
    ),
    "long-call-told-whole-as-ollama-must": fine(
        inside([vllm({"role": "assistant", "content": None}), *long_call(40), vllm({}, "tool_calls"), DONE]),
        hop(
            "gateway",
            on(paced([b"", *[b""] * 40, ollama_call(40), ollama("", done=True, done_reason="stop")])[41:], 6),
            **NDJ,
            **X,
        ),
    ),
    "calls-with-other-ids-behind-the-bridge": fine(
        inside(calls((0, 1, 2))),
        outside([row.replace(b"call_", b"fc-gw-") for row in calls((0, 1, 2))]),
    ),
    # pools
    "first-engine-503-second-answers": fine(
        refusal("engine-1", 503, {"error": {"message": "queue full"}}, exchange="ex-6002"),
        engine(2, on(EVEN, 200)),
        gateway(on(EVEN, 204)),
    ),
    "two-engines-hedged-second-was-quicker": fine(
        engine(1, OTHERS[:8], end="aborted", end_ms=OTHERS[7][0] + 30, detail=FRONT),
        engine(2, EVEN),
        gateway(on(EVEN, 4)),
    ),
    "two-engines-hedged-first-was-quicker": fine(
        engine(1, EVEN),
        engine(2, OTHERS[:8], end="aborted", end_ms=OTHERS[7][0] + 30, detail=FRONT),
        gateway(on(EVEN, 4)),
    ),
    "first-engine-reset-second-asked-anew": fine(
        engine(1, OTHERS[:8], end="reset", end_ms=OTHERS[7][0] + 30), engine(2, on(EVEN, 900)), gateway(on(EVEN, 904))
    ),
    "two-engines-and-the-gateway-loses-of-the-second": fault(
        "loss",
        "gateway",
        refusal("engine-1", 503, {"error": {"message": "queue full"}}, exchange="ex-6002"),
        engine(2, on(EVEN, 200)),
        gateway([row for i, row in enumerate(on(EVEN, 204)) if i != 30]),
    ),
    # stops
    "stopped-in-prefill-and-prefilled-all-the-same": fault(
        "not-cancelled",
        "gateway",
        stopped("engine", on(EVEN, 9_400), "complete", EVEN[-1][0] + 9_401, head_ms=9_600.0),
        stopped("gateway", [], "aborted", 435.0, USER, status=None),
    ),
    "ollama-inside-chat-outside-no-ids-goes-on": fault(
        "not-cancelled",
        "app",
        hop("engine", paced([*[ollama(w) for w in SHORT], ollama("", done=True, done_reason="stop")]), **NDJ),
        hop(
            "app",
            on(paced(PLAIN), 5)[:12],
            end="aborted",
            end_ms=on(paced(PLAIN), 5)[11][0] + 8,
            detail=USER,
            headers=NGINX,
        ),
    ),
    "ollama-inside-chat-outside-no-ids-hears": fine(
        hop("engine", paced([*[ollama(w) for w in SHORT]])[:11], end="aborted", end_ms=960.0, detail=FRONT, **NDJ),
        hop(
            "app",
            on(paced(PLAIN), 5)[:12],
            end="aborted",
            end_ms=on(paced(PLAIN), 5)[11][0] + 8,
            detail=USER,
            headers=NGINX,
        ),
    ),
    # products by name
    "vllm-litellm-open-webui-nginx-well": fine(
        *named(("vllm", EVEN), ("litellm", on(EVEN, 3)), ("open-webui", on(EVEN, 8)), ("nginx", on(EVEN, 11)))
    ),
    "vllm-litellm-open-webui-nginx-clumps": fault(
        "burst|not-streamed",
        "nginx",
        *named(
            ("vllm", LONG), ("litellm", on(LONG, 3)), ("open-webui", on(LONG, 8)), ("nginx", sized(on(LONG, 11), 4096))
        ),
    ),
    "vllm-litellm-cut-by-open-webui": fault(
        "truncation|reset",
        "open-webui",
        *named(
            ("vllm", EVEN),
            ("litellm", on(EVEN, 3)),
            ("open-webui", on(EVEN[:29], 8), "truncated"),
            ("nginx", on(EVEN[:29], 11), "truncated"),
        ),
    ),
    "vllm-stopped-and-litellm-drains-it": fault(
        "not-cancelled",
        "litellm",
        stopped("vllm", LONG, "complete", LONG[-1][0] + 1, kind="engine"),
        stopped("litellm", on([r for r in LONG if r[0] < MID], 3), "aborted", MID + 14, FRONT, kind="gateway"),
        stopped("nginx", on([r for r in LONG if r[0] < MID], 6), "aborted", MID + 9, USER, kind="proxy"),
    ),
    "stopped-in-time-and-litellm-says-truncated": fine(
        stopped("vllm", until(MID), "aborted", MID + 26, FRONT, kind="engine"),
        stopped("litellm", on(until(MID), 3), "truncated", MID + 18, "closed before the last chunk", kind="gateway"),
        stopped("nginx", on(until(MID), 6), "aborted", MID + 9, USER, kind="proxy"),
    ),
    # two exchanges whose thoughts or calls differ
    "two-samples-other-thoughts-same-answer": fine(
        hop("engine", paced(thinking(THOUGHT, SHORT)), exchange="p-1", headers=VLLM),
        hop(
            "gateway",
            at(
                [r.replace(b"9f3c61e0a7d24b5f8f0e", b"11aa61e0a7d24b5f7777") for r in thinking(OTHER[:30], SHORT)],
                330,
                58,
            ),
            exchange="p-2",
        ),
    ),
    "two-samples-one-calls-one-talks": fine(
        hop("engine", paced(calls((0, 1, 2))), exchange="p-1", headers=VLLM),
        hop(
            "gateway",
            at([r.replace(b"9f3c61e0a7d24b5f8f0e", b"11aa61e0a7d24b5f7777") for r in PLAIN], 330, 58),
            exchange="p-2",
        ),
    ),
    "two-samples-one-refused-with-429": fault(
        "error|not-streamed",
        "gateway",
        hop("engine", EVEN, exchange="p-1", headers=VLLM),
        refusal("gateway", 429, {"error": {"message": "Too many requests for this key", "code": 429}}, exchange="p-2"),
    ),
    "two-samples-engine-refused-gateway-well": fault(
        "error|not-streamed",
        "engine",
        refusal("engine", 401, {"error": {"message": "invalid api key"}}, exchange="p-1"),
        hop("gateway", EVEN, exchange="p-2", headers=NGINX),
    ),
    "usage-and-finish-in-one-chunk-at-the-second-hop": fine(
        inside(
            [
                *PLAIN[:-1],
                vllm({}, choices=[], usage={"prompt_tokens": 9, "completion_tokens": 41, "total_tokens": 50}),
                DONE,
            ]
        ),
        outside(
            [
                *PLAIN[:-2],
                vllm({}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 41, "total_tokens": 50}),
                DONE,
            ]
        ),
    ),
}
