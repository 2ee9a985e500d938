"""Odd, slow, fast, short or stopped, and healthy all the same: nothing here may be called a fault."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

from harness.capture.model import Capture
from harness.tests.diagnose.build import NDJSON, SSE, ollama, usage
from harness.tests.diagnose.unseen.delays import BLANK, beating, taps
from harness.tests.diagnose.unseen.kit import (
    DONE,
    END,
    START,
    TALE,
    Reads,
    Unseen,
    at,
    call,
    claude,
    fine,
    flushed,
    hop,
    ladder,
    on,
    part,
    refusal,
    respond,
    sse,
    tale,
    whole,
    words,
)  # fmt: skip

EVEN = at(tale(24))
NOT_STREAMED = {"model": "demo", "stream": False, "messages": []}
RTL = [
    "שלום ",
    "עולם ",
    "مرحبا ",
    "👩‍👩‍👧 ",
    "🇩🇪 ",
    "e\u0301 ",
    "\u2028",
    "\u0085",
    "data: x ",
    "[DONE] ",
    "\\n ",
    "\ufeff",
    "end",
]


def left(name: str, count: int, end_ms: float, extra: float = 0) -> Capture:
    return hop(
        name, on(EVEN[:count], extra), end="aborted", end_ms=end_ms, exchange="s1", sent_at="2026-02-01T10:00:00Z"
    )


def members(reads: Reads) -> Reads:
    """gzip, flushed after each event."""
    import zlib

    pack = zlib.compressobj(6, zlib.DEFLATED, 31)
    out = [(t, pack.compress(d) + pack.flush(zlib.Z_SYNC_FLUSH)) for t, d in reads]
    return [*out, (reads[-1][0] + 1, pack.flush())]


def raw(change, reads: Reads = EVEN) -> Reads:  # type: ignore[no-untyped-def]
    return [(t, change(d)) for t, d in reads]


FAST = at(tale(2_000), start=220, gap=0.4)
THOUGHT = [part(reasoning=w) for w in words(30)]
AZURE = sse(
    {"id": "", "object": "", "created": 0, "model": "", "prompt_filter_results": [{"prompt_index": 0}], "choices": []}
)
NULLS = [
    d.replace(b'"model":"m"', b'"model":"m","usage":null,"service_tier":null,"system_fingerprint":"fp"')
    for d in tale(20)
]
OLLAMA_END = ollama(
    done=True, done_reason="stop", total_duration=3_000_000_000, load_duration=9, prompt_eval_count=9, eval_count=24
)
TOOLS = [
    START,
    call(0, name="f", ident="a"),
    call(1, name="g", ident="b"),
    call(0, '{"x":'),
    call(1, "{"),
    call(0, "1}"),
    call(1, "}"),
]
CASES: dict[str, Unseen] = {
    "fastgpt-beats-every-10-s": fine(
        hop("gateway", beating(at(tale(40), gap=1_000), 40_000, 10_000, BLANK), wire="fastgpt")
    ),
    "role-on-every-chunk": fine(hop("engine", at([*[part(w, role="assistant") for w in words(20)], *END]))),
    "two-role-chunks": fine(*ladder(at([START, START, *[part(w) for w in words(20)], *END]), "engine", "gateway")),
    "eight-tokens-an-event": fine(
        *ladder(at([START, *[part("".join(words(8))) for _ in range(10)], *END], gap=400), "engine", "proxy")
    ),
    "five-events-a-step": fine(hop("engine", flushed(at(tale(60), gap=40), range(200, 4_000, 200)))),
    "speculative-bursts-through-proxy": fine(
        *ladder(flushed(at(tale(60), gap=30), range(90, 4_000, 90)), "engine", "proxy")
    ),
    "two-thousand-a-second": fine(*ladder(flushed(FAST, range(240, 1_200, 60)), "engine", "gateway", "proxy")),
    "yes": fine(*ladder(at([part("Yes", role="assistant"), *END]), "engine", "app")),
    "four-events-in-one-read": fine(hop("engine", [(900.0, b"".join(tale(2)))])),
    "short-answer-after-a-long-thought": fine(hop("engine", [(6_000.0, b"".join(tale(3)))])),
    "first-token-after-8-5-s": fine(*ladder(at(tale(20), start=8_500), "engine", "gateway", "app")),
    "chunked-prefill-pauses-1-8-s": fine(*ladder(EVEN[:9] + on(EVEN[9:], 1_800), "engine", "proxy")),
    "slow-cpu-3-s-a-token": fine(hop("engine", at(tale(12), start=3_000, gap=3_000))),
    "thinks-for-9-s-first": fine(
        *ladder(at([START, *THOUGHT, *[part(w) for w in words(9)], *END], gap=300), "engine", "gateway")
    ),
    "json-was-asked-for": fine(
        refusal("engine", 200, whole("hi"), 4_000, request=NOT_STREAMED),
        refusal("gateway", 200, whole("hi"), 4_010, request=NOT_STREAMED),
    ),
    "relay-of-three-taps": fine(*taps(EVEN, on(EVEN, 0.4), on(EVEN, 11))),
    "five-hops-each-140-ms": fine(*ladder(EVEN, "engine", "gateway", "app", "proxy", "network-path", step=140)),
    "radio-pauses-once": fine(
        hop("app", EVEN), hop("network-path", [(t + (260 - (t - 800) if 800 < t < 1_060 else 3), d) for t, d in EVEN])
    ),
    "byte-order-mark-and-cr": fine(
        hop("engine", [(EVEN[0][0] - 5, b"\xef\xbb\xbf"), *raw(lambda d: d.replace(b"\n", b"\r"))])
    ),
    "crlf-cut-between": fine(
        hop("engine", [row for t, d in EVEN for row in ((t, d[:-2] + b"\r"), (t + 1, b"\n\r\n"))])
    ),
    "comments-between": fine(*ladder(raw(lambda d: b": OPENROUTER PROCESSING\n\n" + d), "gateway", "app")),
    "no-space-event-and-ids": fine(
        hop("gateway", raw(lambda d: b"event: message\nid: 7\n" + d.replace(b"data: ", b"data:")))
    ),
    "pretty-json-over-many-lines": fine(
        hop(
            "gateway",
            raw(
                lambda d: (
                    d
                    if d == DONE
                    else b"".join(
                        b"data: " + line + b"\n"
                        for line in json.dumps(json.loads(d[6:]), indent=1).encode().split(b"\n")
                    )
                    + b"\n"
                )
            ),
        )
    ),
    "escapes-instead-of-utf-8": fine(
        hop("engine", at([START, *[part(w) for w in RTL], *END])),
        hop(
            "gateway",
            on(
                at(
                    [
                        START,
                        *[
                            part(w).decode().encode("ascii", "backslashreplace")
                            if w.isascii()
                            else b"data: " + json.dumps(json.loads(part(w)[6:])).encode() + b"\n\n"
                            for w in RTL
                        ],
                        *END,
                    ]
                )
            ),
        ),
    ),
    "signs-of-many-scripts": fine(*ladder(at([START, *[part(w) for w in RTL], *END]), "engine", "app", "proxy")),
    "thinking-under-the-old-name-only": fine(
        hop("engine", at([START, *[part(reasoning_content=w) for w in words(12)], *[part(w) for w in words(9)], *END]))
    ),
    "thinking-renamed": fine(
        hop("engine", at([START, *THOUGHT, *[part(w) for w in words(9)], *END])),
        hop(
            "gateway",
            on(at([START, *[part(reasoning_content=w) for w in words(30)], *[part(w) for w in words(9)], *END])),
        ),
    ),
    "thinking-under-both-names": fine(
        hop(
            "engine",
            at(
                [
                    START,
                    *[part(reasoning=w, reasoning_content=w) for w in words(12)],
                    *[part(w) for w in words(9)],
                    *END,
                ]
            ),
        )
    ),
    "usage-null-then-usage-only": fine(*ladder(at([*NULLS[:-1], usage(21), DONE]), "engine", "gateway")),
    "usage-on-every-chunk": fine(
        hop(
            "engine",
            at(
                [
                    START,
                    *[
                        part(w).replace(
                            b'"choices"', b'"usage":{"prompt_tokens":5,"completion_tokens":%d},"choices"' % (i + 1)
                        )
                        for i, w in enumerate(words(20))
                    ],
                    *END,
                ]
            ),
        )
    ),
    "azure-filters": fine(
        hop(
            "gateway",
            at(
                [
                    AZURE,
                    *[
                        d.replace(b'"delta"', b'"content_filter_results":{"hate":{"filtered":false}},"delta"')
                        for d in tale(20)
                    ],
                ]
            ),
        )
    ),
    "claude-max-tokens": fine(*ladder(at(claude(words(20), reason="max_tokens")), "engine", "proxy")),
    "claude-to-chat": fine(hop("engine", at(claude(words(20)))), hop("gateway", on(at(tale(20)), 300))),
    "responses-out-of-tokens": fine(
        hop(
            "gateway",
            at(
                respond(words(20), last={"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}})
            ),
        )
    ),
    "responses-to-chat": fine(
        hop("engine", at(respond(words(20), last={"status": "completed"}))), hop("gateway", on(at(tale(20)), 200))
    ),
    "ollama-thinks": fine(
        hop(
            "engine",
            at(
                [
                    *[ollama(message={"role": "assistant", "content": "", "thinking": w}) for w in words(9)],
                    *[ollama(w) for w in words(9)],
                    OLLAMA_END,
                ]
            ),
            headers=NDJSON,
        )
    ),
    "ollama-to-chat": fine(
        hop("engine", at([*[ollama(w) for w in words(20)], OLLAMA_END]), headers=NDJSON),
        hop("gateway", on(at(tale(20)), 200)),
    ),
    "ollama-as-octet-stream": fine(
        hop(
            "engine",
            at([*[ollama(w) for w in words(20)], OLLAMA_END]),
            headers=(("content-type", "application/octet-stream"),),
        )
    ),
    "ollama-generate": fine(
        hop(
            "engine",
            at(
                [
                    *[json.dumps({"model": "m", "response": w, "done": False}).encode() + b"\n" for w in words(20)],
                    b'{"model":"m","response":"","done":true,"done_reason":"length"}\n',
                ]
            ),
            headers=NDJSON,
        )
    ),
    "parallel-tools-to-the-proxy": fine(
        *ladder(at([*TOOLS, part(finish="tool_calls"), DONE]), "engine", "gateway", "proxy")
    ),
    "two-tools-in-one-chunk": fine(
        hop(
            "engine",
            at(
                [
                    START,
                    part(
                        tool_calls=[
                            {"index": i, "id": f"c{i}", "function": {"name": "f", "arguments": "{}"}} for i in (0, 1)
                        ]
                    ),
                    part(finish="tool_calls"),
                    DONE,
                ]
            ),
        )
    ),
    "merged-two-to-one": fine(
        hop("engine", EVEN),
        hop(
            "gateway",
            at(
                [
                    START,
                    *["" or part(a + b) for a, b in zip(words(24)[::2], words(24)[1::2], strict=True)],
                    *END,
                ],
                start=290,
                gap=180,
            ),
        ),
    ),
    "gzip-flushed-in-time": fine(
        hop("app", EVEN), hop("proxy", members(on(EVEN)), headers=(*SSE, ("content-encoding", "gzip")))
    ),
    "gzip-decoded-by-the-client": fine(
        hop("app", EVEN),
        hop("network-path", on(EVEN, 9), headers=(*SSE, ("content-encoding", "gzip")), content_decoded=True),
    ),
    "http-1-0-close-delimited": fine(
        hop("engine", EVEN),
        hop("proxy", on(EVEN), headers=(("content-type", "text/event-stream"), ("connection", "close"))),
    ),
    "http-2-without-chunked": fine(
        hop("app", EVEN),
        *[replace(c, head=replace(c.head, http="2")) for c in [hop("proxy", on(EVEN), headers=SSE[:2])] if c.head],
    ),
    "stopped-and-heard-at-three-hops": fine(
        left("engine", 11, 1_100.0), left("gateway", 11, 1_080.0, 2), left("app", 10, 1_060.0, 4)
    ),
    "stopped-in-prefill-heard": fine(left("engine", 0, 2_010.0), left("app", 0, 2_000.0)),
    "stopped-at-the-last-word": fine(
        hop("engine", EVEN, exchange="s1"),
        hop("app", on(EVEN[:-2]), end="aborted", exchange="s1", end_ms=EVEN[-2][0] + 1),
    ),
    "two-answers-asked": fine(
        *ladder(
            at(
                [
                    part(w, index=i, **({"role": "assistant"} if k == 0 else {}))
                    for k, w in enumerate(words(12))
                    for i in (0, 1)
                ]
                + [part(finish="stop", index=i) for i in (0, 1)]
                + [DONE]
            ),
            "engine",
            "gateway",
            request={"model": "m", "stream": True, "n": 2, "messages": []},
        )
    ),
    "two-samples-of-one-prompt": fine(
        hop("engine", at(tale(24, ident="chatcmpl-aaaaaaaaaaaaaaaa")), exchange="a"),
        hop(
            "gateway",
            at([part(w, ident="chatcmpl-bbbbbbbbbbbbbbbb") for w in reversed(words(30))] + END, start=420, gap=120),
            exchange="b",
        ),
    ),
    "slower-second-exchange": fine(
        hop("engine", at(tale(24, ident="chatcmpl-aaaaaaaaaaaaaaaa")), exchange="a"),
        hop("gateway", at(tale(24, ident="chatcmpl-bbbbbbbbbbbbbbbb"), start=380, gap=130, seed=4), exchange="b"),
    ),
    "router-comments-for-9-s": fine(
        hop("gateway", beating(at(tale(20), start=9_000), 9_000, 1_000, b": keep-alive\n\n"))
    ),
    "says-the-same-word": fine(*ladder(at([START, *[part("ha ") for _ in range(21)], *END]), "engine", "app")),
    "speaks-of-tags-in-code": fine(
        hop("engine", at([START, *[part(w) for w in words(60)], part("`<think>`"), *[part(w) for w in words(5)], *END]))
    ),
    "list-of-numbers": fine(hop("engine", at([START, *[part(f"{i}. {w}\n") for i, w in enumerate(TALE, 1)], *END]))),
    "length-with-cut-word": fine(*ladder(at(tale(24, finish="length")), "engine", "gateway", "app")),
    "healthy-thrice": fine(
        *[replace(c, repeat=i) for i in range(3) for c in ladder(at(tale(20), seed=i), "engine", "proxy")]
    ),
    "late-close-within-a-second": fine(hop("app", EVEN, end_ms=EVEN[-1][0] + 900)),
    "refusal-in-words": fine(hop("engine", at([START, *[part(refusal=w) for w in words(8)], *END]))),
    "gzip-of-one-json": fine(
        hop(
            "engine",
            [(900.0, gzip.compress(json.dumps(whole("hello")).encode(), mtime=0))],
            headers=(("content-type", "application/json"), ("content-encoding", "gzip")),
            request=NOT_STREAMED,
        )
    ),
    "fastgpt-nodes-after-done": fine(
        hop(
            "gateway",
            at(
                [
                    b"event: flowNodeStatus\n" + b'data: {"status":"running","name":"AI"}\n\n',
                    *[b"event: answer\n" + d for d in tale(20)],
                    b"event: flowResponses\n" + b'data: [{"nodeId":"n","moduleName":"AI","runningTime":1.2}]\n\n',
                ]
            ),
            wire="fastgpt",
        )
    ),
}
