"""More of what relays and engines do to answers: tools without names, blanks, pieces lost."""

from __future__ import annotations

from dataclasses import replace

from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.kit import DONE, Unseen, at, claude, fault, hop, on, respond, warn
from harness.tests.diagnose.unseen.relay_oddities import TWO, USAGE, WHOLE_CALL
from harness.tests.diagnose.unseen.shapes import (
    CALLED,
    EVEN,
    FRAGMENTS,
    HAN,
    LITELLM,
    MESSAGES,
    NDJ,
    ONEAPI,
    PROSE,
    RESPONSES,
    SPOKEN,
    alone,
    asked,
    block,
    claudes,
    engine,
    inputs,
    pair,
    said,
    texts,
    tools,
    vllm,
)

NAMELESS = vllm({"tool_calls": [{"index": 0, "function": {"arguments": "".join(FRAGMENTS)}}]})
CUT_CLAUDE = claude(SPOKEN[:20], reason=None, stop=False)
SCHEMA = {"model": "m", "stream": True, "max_tokens": 60, "response_format": {"type": "json_schema"}, "messages": []}
SAY = ["No", " no", " no", ",", " very", " very", " bad", ",", " that", " that", " was", " said", " is", " so", "."]
YEARS = [
    "In",
    " 2",
    "0",
    "2",
    "5",
    " about",
    " 1",
    "0",
    "0",
    " boats",
    " and",
    " 3",
    "0",
    " nets",
    " were",
    " lost",
    ".",
]
RAW_TAB = said(PROSE)[6].replace(b"tin", b"t\tn")
BARE = [d.replace(b"data: {", b"data:{") for d in said(SPOKEN)]


def numbered_one(events: list[bytes]) -> list[bytes]:
    return [d.replace(b'"index": 0', b'"index": 1') for d in events]


CASES: dict[str, Unseen] = {
    "runs-on-in-blanks": warn(
        "content|truncation|malformed",
        "engine",
        engine(said(['{\n "questionType":', *[" ", "\n", "  "] * 18], "length"), request=SCHEMA),
    ),
    "json-done-then-blanks": warn(
        "content|truncation|malformed",
        "engine",
        engine(said(['{"city": ', '"Bergen"', "}", *["\n", " "] * 30], "length"), request=SCHEMA),
    ),
    "stop-after-every-chunk": warn(
        "malformed|rewrite",
        "gateway",
        *pair(CALLED, [e for t, d in CALLED[:-2] for e in (d, vllm({}, "stop"))] + [d for _, d in CALLED[-2:]]),
    ),
    "arguments-said-as-text-too": warn(
        "rewrite|content|duplicate",
        "gateway",
        *pair(
            CALLED, [CALLED[0][1], *[vllm({"content": w}) for w in ("Bergen", " celsius")], *[d for _, d in CALLED[1:]]]
        ),
    ),
    "choice-numbered-from-one": warn(
        "rewrite|malformed|interleave|loss", "gateway", *pair(said(SPOKEN), numbered_one(said(SPOKEN)))
    ),
    "records-called-event-stream": warn(
        "headers|malformed",
        "gateway",
        hop(
            "gateway",
            at([*[ollama(w) for w in PROSE], ollama("", done=True, done_reason="stop", eval_count=19)]),
            headers=ONEAPI,
            asked=asked("/api/chat"),
            wire="ollama",
        ),
    ),
    "events-called-ndjson": warn("headers|malformed", "gateway", hop("gateway", EVEN, headers=NDJSON)),
    "finish-is-null-to-the-end": warn(
        "malformed|truncation",
        "engine",
        engine(
            [
                *said(PROSE)[:-2],
                vllm({"content": ""}),
                vllm({}, choices=[], usage=USAGE | {"completion_tokens": 19}),
                DONE,
            ]
        ),
    ),
    "call-without-name-and-id": fault("loss|malformed|rewrite", "gateway", *pair(tools(WHOLE_CALL), tools(NAMELESS))),
    "call-without-a-name-seen-alone": fault("malformed|loss", "gateway", alone(tools(NAMELESS))),
    "calls-dropped-then-closed": fault(
        "loss|truncation",
        "gateway",
        *pair([*[vllm({"reasoning": w}) for w in SPOKEN], *tools(*TWO)[1:]], [vllm({"reasoning": w}) for w in SPOKEN]),
    ),
    "first-signs-of-the-thought-lost": fault(
        "loss|rewrite",
        "gateway",
        *pair(
            said(["<think>\n", *HAN, "\n</think>\n\n", *PROSE]),
            [
                *[vllm({"reasoning_content": w}) for w in HAN[2:]],
                *[vllm({"content": w}) for w in PROSE],
                vllm({}, "stop"),
                DONE,
            ],
        ),
    ),
    "equal-neighbours-taken-for-repeats": fault(
        "loss", "gateway", *pair(said(SAY), said([w for i, w in enumerate(SAY) if not i or w != SAY[i - 1]]))
    ),
    "zeros-taken-for-nothing": fault("loss", "gateway", *pair(said(YEARS), said([w for w in YEARS if w != "0"]))),
    "lines-without-a-blank-skipped": fault("loss|truncation|content", "gateway", *pair(BARE, [DONE], headers=ONEAPI)),
    "raw-tab-inside-a-text": fault("malformed", "engine", engine([*said(PROSE)[:6], RAW_TAB, *said(PROSE)[7:]])),
    "claude-blocks-share-a-number": fault(
        "malformed|interleave|duplicate",
        "gateway",
        alone(
            claudes(
                *block(0, "text", *texts(PROSE)),
                *block(1, "tool_use", *inputs(FRAGMENTS), id="toolu_a"),
                *block(1, "tool_use", *inputs(['{"tz": "CET"}']), id="toolu_b", name="get_time", input={}),
                reason="tool_use",
            ),
            **MESSAGES,
        ),
    ),
    "cut-claude-made-a-good-end": fault(
        "truncation|loss",
        "engine",
        hop("engine", at(CUT_CLAUDE, gap=55)),
        hop("gateway", on(at(said(SPOKEN[:20]), gap=57), 12), headers=LITELLM),
    ),
    "half-of-the-second-call": fault("malformed|loss|truncation", "gateway", *pair(tools(*TWO), tools(*TWO[:-1]))),
    "thought-goes-to-another-exchange": fault(
        "loss|rewrite|content|interleave",
        "gateway",
        *[
            replace(c, exchange="x-9")
            for c in pair(
                [*[vllm({"reasoning": w}) for w in PROSE], *said(SPOKEN)],
                [*[vllm({"reasoning": w}) for w in HAN], *said(SPOKEN)],
            )
        ],
    ),
    "last-block-of-claude-lost": fault(
        "loss|truncation",
        "gateway",
        hop(
            "engine", at(claudes(*block(0, "text", *texts(PROSE)), *block(1, "text", *texts(HAN))), gap=55), **MESSAGES
        ),
        hop("gateway", on(at(claudes(*block(0, "text", *texts(PROSE))), gap=55), 8), **MESSAGES),
    ),
    "responses-text-loses-its-middle": fault(
        "loss",
        "gateway",
        hop("engine", EVEN),
        hop(
            "gateway", on(at(respond(SPOKEN[:12] + SPOKEN[15:], last={"status": "completed"}), gap=58), 12), **RESPONSES
        ),
    ),
    "ollama-line-swallowed": fault(
        "loss",
        "gateway",
        hop(
            "engine",
            at([*[ollama(w) for w in SPOKEN], ollama("", done=True, done_reason="stop")], gap=55),
            asked=asked("/api/chat"),
            wire="ollama",
            **NDJ,
        ),
        hop("gateway", on(at(said(SPOKEN[:8] + SPOKEN[9:]), gap=55), 6), headers=ONEAPI),
    ),
    "json-of-the-tool-in-pieces-lost": fault(
        "malformed|loss", "gateway", *pair(CALLED, [d for i, (_, d) in enumerate(CALLED) if i != 3])
    ),
}
