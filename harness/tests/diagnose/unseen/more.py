"""A second round, imagined between the first: the same families from other sides."""

from __future__ import annotations

import json
from dataclasses import replace

from harness.tests.diagnose.build import NDJSON, SSE, ollama, usage
from harness.tests.diagnose.unseen.delays import paused
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
    words,
)  # fmt: skip
from harness.tests.diagnose.unseen.text import MIXED, TOOL, TOOL_END, told, two

EVEN = at(tale(30))
LONG = at(tale(140), gap=60)
START, END = part("", role="assistant"), [part(finish="stop"), DONE]
EMPTY = [(EVEN[14][0] + 1_000 * i, part("")) for i in range(1, 20)]
BEFORE = [*at(tale(12, finish=None, done=False))]
WIDE = part("word " * 60_000)
PAGE = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>\n"
CLAUDE_CALL = [
    sse(
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
        }
    ),
    *[
        sse({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": p}})
        for p in ('{"a"', ": [1, ")
    ],
    sse({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}}),
    sse({"type": "message_stop"}),
]
PLAIN = [d[6:-1] if d != DONE else b"" for d in tale(20)]


def swapped(reads):  # type: ignore[no-untyped-def]
    return [
        (
            t,
            d.replace(b'"index":0', b'"index":9')
            .replace(b'"index":1', b'"index":0')
            .replace(b'"index":9', b'"index":1'),
        )
        for t, d in reads
    ]


def latin(reads, charset="latin-1"):  # type: ignore[no-untyped-def]
    return [(t, d.decode().encode(charset, "replace")) for t, d in reads]


CLAUDE_WHOLE = [*CLAUDE_CALL[:-2], CLAUDE_CALL[2].replace(b": [1, ", b"2]}"), *CLAUDE_CALL[-2:]]

CASES: dict[str, Unseen] = {
    "first-kilobyte-collected": fault(
        "first-byte|burst", "app", hop("gateway", EVEN), hop("app", flushed(EVEN[:7], [760.0]) + on(EVEN[7:]))
    ),
    "two-objects-in-one-line": fault(
        "malformed|loss",
        "gateway",
        hop("engine", EVEN),
        hop("gateway", on([*EVEN[:6], (EVEN[7][0], EVEN[6][1][:-2] + EVEN[7][1][6:]), *EVEN[8:]])),
    ),
    "arguments-encoded-twice": fault(
        "malformed",
        "engine",
        hop(
            "engine",
            at([START, call(name="f", ident="c"), call(arguments=json.dumps(json.dumps({"q": 1}))), *TOOL_END]),
        ),
    ),
    "comments-and-nothing-else": fault(
        "truncation|not-streamed|first-byte",
        "gateway",
        hop("gateway", [(1_000.0 * i, b": ping\n\n") for i in range(1, 9)]),
    ),
    "odd-ids-and-retries": fine(hop("gateway", [(t, b"retry: soon\nid: a\x00b\n" + d) for t, d in EVEN])),
    "one-event-of-300-kb": fine(
        *ladder(
            [(200 + k / 4_096, WIDE[k : k + 16_384]) for k in range(0, len(WIDE), 16_384)] + [(600.0, b"".join(END))],
            "engine",
            "proxy",
        )
    ),
    "no-content-type": warn("headers", "app", hop("gateway", EVEN), hop("app", on(EVEN), headers=SSE[1:])),
    "call-without-index": warn(
        "malformed",
        "engine",
        hop(
            "engine",
            at(
                [
                    START,
                    part(tool_calls=[{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]),
                    *TOOL_END,
                ]
            ),
        ),
    ),
    "prefill-of-others-thrice": fault(
        "stall", "engine", *ladder(paused(paused(paused(EVEN, 8, 3_400), 15, 3_300), 22, 3_500), "engine", "gateway")
    ),
    "finish-no-resources": fault(
        "error|truncation", "engine", hop("engine", at(tale(9, finish="insufficient_system_resource")))
    ),
    "error-event-in-words": fault(
        "error",
        "app",
        hop("gateway", EVEN),
        hop("app", on([*EVEN[:9], (1_200.0, b"event: error\ndata: upstream timed out\n\n")])),
    ),
    "error-told-as-answer": fault(
        "error|rewrite",
        "gateway",
        hop("engine", [*EVEN[:3], (900.0, sse({"error": {"message": "CUDA out of memory"}}))]),
        hop("gateway", at([START, part("Sorry, "), part("something went wrong."), *END], start=1_000)),
    ),
    "body-never-closed": warn(
        "stall", "gateway", hop("gateway", EVEN, end="timeout", end_ms=EVEN[-1][0] + 30_000, detail="read timeout 30 s")
    ),
    "nothing-but-stop": warn("content|truncation", "engine", hop("engine", at([START, *END]))),
    "usage-far-above-the-text": warn("content|loss", "engine", hop("engine", at([*tale(6)[:-1], usage(900), DONE]))),
    "sequence-number-missing": fault(
        "loss",
        "app",
        hop("app", [r for i, r in enumerate(at(respond(words(20), last={"status": "completed"}))) if i not in (7, 8)]),
    ),
    "claude-tool-use": fine(hop("engine", at([*claude(words(3), reason=None, stop=False), *CLAUDE_WHOLE]))),
    "claude-call-cut": fault(
        "malformed|truncation|loss",
        "engine",
        hop("engine", at([*claude(words(2), reason=None, stop=False), *CLAUDE_CALL])),
    ),
    "events-without-their-framing": fault(
        "malformed|not-streamed|loss", "gateway", hop("engine", at(tale(20))), hop("gateway", on(at(PLAIN)))
    ),
    "events-in-one-json-text": fault(
        "not-streamed|malformed|burst",
        "gateway",
        hop("engine", EVEN),
        hop(
            "gateway",
            [(3_000.0, json.dumps(b"".join(d for _, d in EVEN).decode()).encode())],
            headers=(("content-type", "application/json"),),
        ),
    ),
    "error-page-in-the-middle": fault(
        "truncation|malformed|error|not-streamed",
        "proxy",
        hop("app", EVEN),
        hop("proxy", on([*EVEN[:10], (1_300.0, PAGE)])),
    ),
    "no-content-204": fault(
        "truncation|not-streamed|error", "gateway", hop("engine", EVEN), hop("gateway", [], status=204, headers=())
    ),
    "redirected": fault(
        "not-streamed|error|truncation",
        "proxy",
        hop(
            "proxy",
            [(4.0, b"<html>Moved</html>")],
            status=307,
            headers=(("content-type", "text/html"), ("location", "https://x.example/")),
        ),
    ),
    "plain-words-with-200": fault(
        "not-streamed|error",
        "proxy",
        hop("proxy", [(15_000.0, b"upstream request timeout")], headers=(("content-type", "text/plain"),)),
    ),
    "empty-deltas-for-20-s": fault("stall", "engine", hop("engine", [*EVEN[:15], *EMPTY, *on(EVEN[15:], 20_000)])),
    "silent-between-thought-and-answer": fault(
        "stall",
        "engine",
        *ladder(
            paused(
                at([START, *[part(reasoning=w) for w in words(20)], *[part(w) for w in words(20)], *END]), 21, 7_000
            ),
            "engine",
            "app",
        ),
    ),
    "a-third-at-once": fine(hop("engine", [*flushed(EVEN[:9], [1_100.0]), *on(EVEN[9:], 200)])),
    "engine-clumps-and-proxy-hands-on": fine(
        *ladder(flushed(at(tale(60), gap=40), range(400, 4_000, 400)), "engine", "gateway", "proxy")
    ),
    "two-exchanges-proxy-clumps": fault(
        "burst",
        "proxy",
        hop("engine", LONG, exchange="a"),
        hop("proxy", sized(at(tale(140), gap=60, seed=9), 4_096), exchange="b"),
    ),
    "page-paints-each-50-ms": fine(
        hop("network-path", EVEN, tap="arrive", exchange="x"),
        hop("browser", flushed(EVEN, range(50, 5_000, 50)), tap="paint", exchange="x"),
    ),
    "stopped-as-it-ended-anyway": fine(
        hop("engine", EVEN, exchange="s", sent_at="2026-02-01T10:00:00Z"),
        hop("app", on(EVEN[:-3]), end="aborted", end_ms=EVEN[-3][0], exchange="s", sent_at="2026-02-01T10:00:00Z"),
    ),
    "arguments-overtake": fault(
        "reorder|malformed",
        "app",
        hop("gateway", at([*TOOL, *TOOL_END])),
        hop("app", on(at([TOOL[0], TOOL[1], TOOL[3], TOOL[2], TOOL[5], TOOL[4], *TOOL_END]))),
    ),
    "choices-exchanged": fault(
        "rewrite|interleave|reorder", "gateway", hop("engine", two(True)), hop("gateway", on(swapped(two(True))))
    ),
    "latin-1-on-the-wire": fault("encoding", "app", hop("app", latin(told(MIXED[:10])))),
    "gbk-on-the-wire": fault(
        "encoding",
        "app",
        hop("gateway", told(["你好", "世界", "今天", "天气", "很好"])),
        hop("app", on(latin(told(["你好", "世界", "今天", "天气", "很好"]), "gbk"))),
    ),
    "mojibake-seen-alone": fault(
        "encoding", "gateway", hop("gateway", told([w.encode().decode("latin-1") for w in MIXED]))
    ),
    "whole-text-again-seen-alone": fault("duplicate", "engine", hop("engine", told([*words(12), "".join(words(12))]))),
    "call-promised-and-none-came": fault(
        "loss|malformed|content|truncation", "engine", hop("engine", at([START, *TOOL_END]))
    ),
    "call-as-text": warn(
        "content|malformed",
        "engine",
        hop("engine", told(["<tool_call>\n", '{"name": "f", ', '"arguments": {}}', "\n</tool_call>"])),
    ),
    "end-token-in-the-text": warn("content|malformed", "engine", hop("engine", told([*words(9), "<|im_end|>"]))),
    "double-encoded-once": fault(
        "malformed|loss",
        "engine",
        hop(
            "engine",
            [
                (t, b"data: " + json.dumps(d[6:-2].decode()).encode() + b"\n\n" if i == 9 else d)
                for i, (t, d) in enumerate(EVEN)
            ],
        ),
    ),
    "wrapped-twice-seen-alone": fault("malformed|loss", "app", hop("app", [(t, b"data: " + d) for t, d in EVEN])),
    "single-quotes-seen-alone": fault(
        "malformed|loss",
        "app",
        hop("app", [(t, d if d == DONE else b"data: " + repr(json.loads(d[6:])).encode() + b"\n\n") for t, d in EVEN]),
    ),
    "strings-seen-alone": fault(
        "malformed|loss|content",
        "app",
        hop(
            "app",
            [(t, d if d == DONE else b"data: " + json.dumps(d[6:-2].decode()).encode() + b"\n\n") for t, d in EVEN],
        ),
    ),
    "field-name-in-capitals": fault(
        "malformed|loss|truncation",
        "gateway",
        hop("engine", EVEN),
        hop("gateway", on([(t, d.replace(b"data:", b"Data:")) for t, d in EVEN])),
    ),
    "content-under-another-name": warn(
        "malformed|loss|content", "engine", hop("engine", [(t, d.replace(b'"content"', b'"text"')) for t, d in EVEN])
    ),
    "openai-over-ollamas-path": warn("malformed|content|rewrite", "gateway", hop("gateway", EVEN, wire="ollama")),
    "ollama-lines-over-sse": fine(
        hop(
            "gateway",
            at(
                [b"data: " + ollama(w) + b"\n" for w in words(9)]
                + [b"data: " + ollama(done=True, done_reason="stop") + b"\n"]
            ),
        )
    ),
    "records-in-one-read": fault(
        "burst|not-streamed|first-byte",
        "engine",
        hop(
            "engine",
            [(9_000.0, b"".join(ollama(w) for w in words(20)) + ollama(done=True, done_reason="stop"))],
            headers=NDJSON,
        ),
    ),
    "cut-behind-a-good-reader": fault(
        "reset|truncation",
        "network-path",
        *ladder(EVEN, "engine", "app", "proxy"),
        hop("network-path", on(EVEN[:20], 9), end="reset", tap="arrive"),
    ),
    "cut-at-the-engine-told-by-nobody": fault(
        "truncation|reset",
        "engine",
        hop("engine", EVEN[:14]),
        *ladder([*on(EVEN[:14]), (1_600.0, b"".join(END))], "gateway", "app"),
    ),
    "app-drops-the-error": fault(
        "error|truncation",
        "app",
        *ladder([*EVEN[:9], (1_200.0, sse({"error": {"message": "boom"}}))], "engine", "gateway"),
        hop("app", [*on(EVEN[:9], 6), (1_210.0, b"".join(END))]),
    ),
    "refused-then-silence": fault(
        "error|first-byte|stall",
        "app",
        *[refusal(n, 500, {"error": "boom"}) for n in ("engine", "gateway")],
        hop("app", [(15_000.0 * i, b": ping\n\n") for i in (1, 2)], end="open", end_ms=40_000),
    ),
    "healthy-with-a-gateway-that-was-not-asked": fine(
        hop("engine", EVEN, exchange="a"), hop("proxy", on(EVEN), exchange="a", kind="proxy")
    ),
    "waits-on-no-one": fault(
        "first-byte", "gateway", silent("gateway", 45_000, "timeout", detail="first byte limit 45 s")
    ),
    "healthy-repeats-with-one-bad": fault(
        "stall",
        "engine",
        *[
            replace(c, repeat=i)
            for i in range(3)
            for c in ladder(paused(EVEN, 9, 5_000) if i == 2 else EVEN, "engine", "proxy")
        ],
    ),
}
