"""Text and frames that are hurt, or off the specification, at one hop or between two."""

from __future__ import annotations

import json

from harness.tests.diagnose.build import NDJSON, SSE, ollama, usage
from harness.tests.diagnose.unseen.delays import gzipped
from harness.tests.diagnose.unseen.kit import (
    DONE,
    END,
    RESPONSE,
    START,
    Unseen,
    at,
    call,
    claude,
    fault,
    hop,
    ladder,
    on,
    part,
    respond,
    sse,
    tale,
    warn,
    words,
)  # fmt: skip
from harness.tests.diagnose.unseen.text import MIXED, TOOL, TOOL_END, told, two

EVEN = at(tale(30))
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

CASES: dict[str, Unseen] = {
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
    "nothing-but-stop": warn("content|truncation", "engine", hop("engine", at([START, *END]))),
    "usage-far-above-the-text": warn("content|loss", "engine", hop("engine", at([*tale(6)[:-1], usage(900), DONE]))),
    "sequence-number-missing": fault(
        "loss",
        "app",
        hop("app", [r for i, r in enumerate(at(respond(words(20), last={"status": "completed"}))) if i not in (7, 8)]),
    ),
    "claude-call-cut": fault(
        "malformed|truncation|loss",
        "engine",
        hop("engine", at([*claude(words(2), reason=None, stop=False), *CLAUDE_CALL])),
    ),
    "events-without-their-framing": fault(
        "malformed|not-streamed|loss", "gateway", hop("engine", at(tale(20))), hop("gateway", on(at(PLAIN)))
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
    "stream-where-json-was-asked": warn(
        "malformed|content|rewrite|headers",
        "gateway",
        hop("gateway", EVEN, request={"model": "m", "stream": False, "messages": []}),
    ),
    "two-answers-after-each-other": fault("malformed|duplicate", "gateway", hop("gateway", [*EVEN, *on(EVEN, 4_000)])),
    "brotli-said-gzip-sent": fault(
        "encoding|headers|malformed|truncation|not-streamed",
        "app",
        hop("gateway", EVEN),
        hop("app", gzipped(EVEN), headers=(*SSE, ("content-encoding", "br"))),
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
    "sensitive": warn("content", "gateway", *ladder(at(tale(9, finish="sensitive")), "gateway", "app")),
    "claude-refuses": warn("content", "engine", hop("engine", at(claude(words(9), reason="refusal")))),
}
