"""A third round: near the limits, several hops, and what the two rounds before left out."""

from __future__ import annotations

import json
from dataclasses import replace

from harness.capture.model import Clock
from harness.tests.diagnose.build import NDJSON, SSE, ollama
from harness.tests.diagnose.unseen.delays import beating, frozen, gzipped, paused
from harness.tests.diagnose.unseen.kit import (
    DONE,
    Unseen,
    at,
    call,
    claude,
    fault,
    fine,
    flushed,
    hop,
    ladder,
    on,
    part,
    refusal,
    respond,
    silent,
    sized,
    sse,
    tale,
    warn,
    whole,
    words,
)
from harness.tests.diagnose.unseen.legal import members
from harness.tests.diagnose.unseen.text import told

EVEN = at(tale(30))
LONG = at(tale(140), gap=60)
START, END = part("", role="assistant"), [part(finish="stop"), DONE]
SKEW = Clock("other", "monotonic", 0.001, -4_000.0, 30.0)
BROKEN_PIPE = {
    "id": "cmpl-1",
    "error": {"code": 502, "message": "Provider disconnected"},
    "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
}
CODE = [
    "def f(x):\n",
    "    if x < 1:\n",
    '        return "a & b"\n',
    "    return f(x - 1)\n",
    "```\n",
    "Try ",
    "it ",
    "with ",
    "`f(3)` ",
    "now.",
]
RESPONSE = at(respond(words(20), last={"status": "completed"}))

CASES: dict[str, Unseen] = {
    "gap-of-1-9-s": fine(hop("engine", paused(EVEN, 9, 1_800))),
    "gap-of-2-4-s-at-slow-pace": fine(*ladder(paused(at(tale(30), gap=120), 9, 2_300), "engine", "app")),
    "gap-of-4-s-at-that-pace": fault(
        "stall", "engine", *ladder(paused(at(tale(30), gap=120), 9, 4_300), "engine", "app")
    ),
    "first-byte-half-a-second-later": fine(
        hop("engine", at(tale(20), start=3_000)), hop("gateway", at(tale(20), start=3_700))
    ),
    "app-looks-up-documents-for-3-s": fault("first-byte", "app", hop("engine", EVEN), hop("app", on(EVEN, 3_000))),
    "app-looks-up-documents-for-15-s": fault(
        "first-byte", "app", hop("gateway", EVEN), hop("app", beating(on(EVEN, 15_000), 15_000))
    ),
    "first-byte-of-11-s": fault("first-byte", "engine", *ladder(at(tale(20), start=11_000), "engine", "app", "proxy")),
    "user-gave-up-after-30-s": fault(
        "first-byte",
        "engine",
        silent("engine", 30_002.0, exchange="x", sent_at="2026-02-01T10:00:00Z"),
        silent("app", 30_000.0, exchange="x", sent_at="2026-02-01T10:00:00Z"),
    ),
    "beats-for-ever": fault(
        "first-byte|stall",
        "gateway",
        hop("gateway", [(5_000.0 * i, b": ping\n\n") for i in range(1, 25)], end="open", end_ms=121_000),
    ),
    "gap-at-first-only-in-front": fault(
        "stall|burst", "proxy", *ladder(EVEN, "engine", "app"), hop("proxy", frozen(on(EVEN, 6), 400, 5_000))
    ),
    "proxy-seen-without-its-neighbour": fault(
        "burst", "proxy", hop("engine", LONG), hop("proxy", sized(on(LONG, 30), 4_096))
    ),
    "clocks-that-differ": fine(
        hop(
            "engine",
            EVEN,
            exchange="x",
            clock=Clock("a", "monotonic", 0.001, 0.0, 5.0),
            sent_at="2026-02-01T10:00:00.100Z",
        ),
        hop("app", on(EVEN, 30), exchange="x", clock=SKEW, sent_at="2026-02-01T10:00:04.070Z"),
    ),
    "shared-bytes-in-time": fine(
        hop("app", EVEN, tap="write", exchange="x"),
        replace(hop("network-path", on(EVEN, 12), tap="arrive", exchange="x"), body=None),
    ),
    "shared-bytes-in-clumps": fault(
        "burst",
        "network-path",
        hop("app", EVEN, tap="write", exchange="x"),
        replace(
            hop("network-path", flushed(on(EVEN, 12), range(700, 5_000, 700)), tap="arrive", exchange="x"), body=None
        ),
    ),
    "cached-in-12-ms": fine(hop("gateway", at(tale(30), start=8, gap=0.2), head_ms=6)),
    "emitted-and-read": fine(hop("engine", EVEN, tap="emit", exchange="x"), hop("gateway", on(EVEN), exchange="x")),
    "tap-at-the-source-clumped-by-gateway": fault(
        "burst",
        "gateway",
        hop("engine", EVEN, tap="emit", exchange="x"),
        hop("gateway", flushed(EVEN, range(700, 5_000, 700)), exchange="x"),
    ),
    "chunk-with-error-and-finish": fault(
        "error", "gateway", hop("gateway", [*EVEN[:9], (1_200.0, sse(BROKEN_PIPE)), (1_201.0, DONE)])
    ),
    "azure-filter-in-band": fault(
        "error",
        "engine",
        *ladder(
            [*EVEN[:9], (1_200.0, sse({"error": {"code": "content_filter", "message": "The response was filtered"}}))],
            "engine",
            "gateway",
        ),
    ),
    "responses-error-event": fault(
        "error",
        "engine",
        hop(
            "engine",
            [
                *RESPONSE[:9],
                (
                    1_200.0,
                    sse({"type": "error", "code": "server_error", "message": "boom", "sequence_number": 9}, "error"),
                ),
            ],
        ),
    ),
    "page-with-the-type-of-a-stream": fault(
        "not-streamed|error", "proxy", hop("proxy", [(30.0, b"<html><title>Bad gateway</title></html>")], headers=SSE)
    ),
    "520-from-the-cdn": fault(
        "error|not-streamed", "network-path", refusal("network-path", 520, "error code: 520", 300)
    ),
    "not-found-of-fastapi": fault(
        "error|not-streamed", "engine", *[refusal(n, 404, {"detail": "Not Found"}) for n in ("engine", "gateway")]
    ),
    "504-without-streaming": fault(
        "error|not-streamed|first-byte",
        "proxy",
        silent("app", 60_002.0),
        refusal(
            "proxy",
            504,
            "<html><title>504</title></html>",
            60_003,
            request={"model": "m", "stream": False, "messages": []},
        ),
    ),
    "retried-the-limit-for-30-s": fault(
        "error|not-streamed",
        "engine",
        refusal("engine", 429, {"error": {"message": "slow down"}}),
        refusal("gateway", 429, {"error": {"message": "slow down"}}, 31_000),
    ),
    "stream-where-json-was-asked": warn(
        "malformed|content|rewrite|headers",
        "gateway",
        hop("gateway", EVEN, request={"model": "m", "stream": False, "messages": []}),
    ),
    "two-answers-after-each-other": fault("malformed|duplicate", "gateway", hop("gateway", [*EVEN, *on(EVEN, 4_000)])),
    "gzip-cut": fault(
        "truncation",
        "proxy",
        hop("app", EVEN),
        hop("proxy", members(on(EVEN))[:14], end="truncated", headers=(*SSE, ("content-encoding", "gzip"))),
    ),
    "brotli-said-gzip-sent": fault(
        "encoding|headers|malformed|truncation|not-streamed",
        "app",
        hop("gateway", EVEN),
        hop("app", gzipped(EVEN), headers=(*SSE, ("content-encoding", "br"))),
    ),
    "reset-at-the-third-of-five": fault(
        "reset|truncation",
        "app",
        *ladder(EVEN, "engine", "gateway"),
        hop("app", on(EVEN[:18], 6), end="reset"),
        *[hop(n, on(EVEN[:18], 9), end="truncated") for n in ("proxy", "network-path")],
    ),
    "closed-in-the-middle-without-length": fault(
        "truncation",
        "engine",
        hop("engine", EVEN[:14], headers=(("content-type", "text/event-stream"), ("connection", "close"))),
    ),
    "reset-after-the-finish": warn(
        "truncation|reset", "proxy", hop("app", EVEN), hop("proxy", on(EVEN[:-1]), end="reset")
    ),
    "second-choice-never-finished": warn(
        "truncation|malformed",
        "engine",
        hop(
            "engine",
            at(
                [part("", role="assistant", index=i) for i in (0, 1)]
                + [part(w, index=i) for w in words(9) for i in (0, 1)]
                + END
            ),
        ),
    ),
    "two-calls-one-index": fault(
        "interleave|malformed",
        "engine",
        hop(
            "engine",
            at(
                [
                    START,
                    call(0, '{"a":1}', name="f", ident="c1"),
                    call(0, '{"b":2}', name="g", ident="c2"),
                    part(finish="tool_calls"),
                    DONE,
                ]
            ),
        ),
    ),
    "think-tag-in-two-pieces": warn(
        "content",
        "engine",
        hop("engine", told(["<thi", "nk>", "let ", "me ", "see", "</th", "ink>", "It ", "is ", "so."])),
    ),
    "thought-closed-but-never-opened": warn(
        "content",
        "engine",
        hop("engine", told(["let ", "me ", "see. ", "It ", "must ", "be", "</think>", "\n\n", "It ", "is ", "so."])),
    ),
    "thought-all-tokens-away": warn(
        "content",
        "engine",
        hop("engine", at([START, *[part(reasoning=w) for w in words(40)], part(finish="length"), DONE])),
    ),
    "ollama-loads-only": warn(
        "content|truncation",
        "engine",
        hop("engine", [(3_000.0, ollama(done=True, done_reason="load"))], headers=NDJSON),
    ),
    "claude-no-stop-reason": warn(
        "malformed|truncation",
        "gateway",
        hop("gateway", at([*claude(words(9), reason=None, stop=False), sse({"type": "message_stop"}, "message_stop")])),
    ),
    "claude-without-message-start": warn("malformed", "gateway", hop("gateway", at(claude(words(9))[1:]))),
    "responses-without-event-lines": fine(hop("engine", [(t, d[d.index(b"data:") :]) for t, d in RESPONSE])),
    "responses-piece-twice": fault(
        "duplicate", "app", hop("app", [*RESPONSE[:8], (RESPONSE[7][0] + 2, RESPONSE[7][1]), *RESPONSE[8:]])
    ),
    "markup-escaped": fault(
        "rewrite",
        "app",
        hop("gateway", told(CODE)),
        hop("app", on(told([c.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;") for c in CODE]))),
    ),
    "line-ends-escaped-twice": fault(
        "rewrite|loss|encoding",
        "gateway",
        hop("engine", told(CODE)),
        hop("gateway", on(told([c.replace("\n", "\\n") for c in CODE]))),
    ),
    "indentation-lost": warn(
        "rewrite",
        "gateway",
        hop("engine", told(CODE)),
        hop("gateway", on(told([c.lstrip(" ") if c[:1] == " " else c for c in CODE]))),
    ),
    "gateway-makes-ids": warn(
        "malformed",
        "gateway",
        hop("engine", EVEN),
        hop("gateway", on([(t, d.replace(b"cmpl-1", b"cmpl-%016x" % i)) for i, (t, d) in enumerate(EVEN)])),
    ),
    "rewritten-fields-and-merged-usage": fine(
        hop("engine", EVEN),
        hop(
            "gateway",
            on(
                [
                    (
                        t,
                        d
                        if d == DONE
                        else b"data: "
                        + json.dumps({"provider": "x", **json.loads(d[6:]), "created": 1700000000 + i}).encode()
                        + b"\n\n",
                    )
                    for i, (t, d) in enumerate(EVEN)
                ]
            ),
        ),
    ),
    "json-refused-politely-when-asked-whole": fine(
        refusal(
            "engine",
            200,
            whole("I cannot help with that."),
            900,
            request={"model": "m", "stream": False, "messages": []},
        )
    ),
    "stopped-and-the-proxy-closed-late": fine(
        hop("engine", EVEN[:14], end="aborted", end_ms=1_500.0, exchange="s", sent_at="2026-02-01T10:00:00Z"),
        hop("app", on(EVEN[:12]), end="aborted", end_ms=1_250.0, exchange="s", sent_at="2026-02-01T10:00:00Z"),
    ),
    "proxy-goes-on-after-stop": fault(
        "not-cancelled",
        "proxy",
        *[hop(n, EVEN, exchange="s", sent_at="2026-02-01T10:00:00Z") for n in ("engine", "app")],
        hop("proxy", on(EVEN[:8]), end="aborted", end_ms=950.0, exchange="s", sent_at="2026-02-01T10:00:00Z"),
    ),
    "stop-in-prefill-noticed-with-the-next-chunk": warn(
        "not-cancelled",
        "gateway",
        silent("engine", 9_000.0, exchange="s", sent_at="2026-02-01T10:00:00Z"),
        silent("gateway", 2_500.0, exchange="s", sent_at="2026-02-01T10:00:00Z"),
    ),
    "page-stops-painting-in-the-middle": fault(
        "truncation|loss|render|stall",
        "browser",
        hop("network-path", EVEN, tap="arrive", exchange="x"),
        hop("browser", on(EVEN[:12], 30), tap="paint", exchange="x"),
    ),
    "sensitive": warn("content", "gateway", *ladder(at(tale(9, finish="sensitive")), "gateway", "app")),
    "claude-refuses": warn("content", "engine", hop("engine", at(claude(words(9), reason="refusal")))),
    "cut-behind-pings-without-end": fault(
        "reset|truncation",
        "engine",
        hop("engine", EVEN[:12], end="reset"),
        hop("gateway", beating(on(EVEN[:12]), 40_000), end="open", end_ms=45_000),
    ),
    "obfuscated-with-empty-choices-as-beats": fine(
        hop("engine", [(t, d.replace(b'"model"', b'"obfuscation":"Xy3","model"')) for t, d in EVEN])
    ),
    "full-text-beside-each-delta": fine(
        hop(
            "engine",
            at(
                [
                    START,
                    *[part(w).replace(b'"delta"', b'"message":{"content":"so far"},"delta"') for w in words(20)],
                    *END,
                ]
            ),
        )
    ),
    "safari-waits-for-512-bytes": warn(
        "burst|first-byte",
        "browser",
        hop("network-path", EVEN, tap="arrive", exchange="x"),
        hop("browser", flushed(EVEN[:4], [470.0]) + on(EVEN[4:]), tap="paint", exchange="x"),
    ),
}
