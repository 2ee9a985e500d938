"""Odd and healthy: what proxies, networks, recorders, agents and schedulers do to a stream without harm."""

from __future__ import annotations

import random
import zlib
from dataclasses import replace
from typing import Any

import brotli  # type: ignore[import-untyped]

from harness.capture.model import Capture, Clock
from harness.tests.diagnose.build import DONE, SSE
from harness.tests.diagnose.unseen.delays import EVEN, beating, frozen
from harness.tests.diagnose.unseen.kit import (
    Reads,
    Unseen,
    at,
    call,
    claude,
    fine,
    hop,
    ladder,
    on,
    part,
    sse,
    tale,
    words,
)  # fmt: skip

ID = "chatcmpl-8d1f0c6a2b7e4f39"
COARSE = Clock("log", "wall", 1000.0, 0.0, 0.0)
TYPE = ("content-type", "text/event-stream")


def ticks(reads: Reads, every: float) -> Reads:
    """Let go at the next multiple of ``every``: acknowledgements that wait, frames, radio slots."""
    out: dict[float, bytes] = {}
    for t, data in reads:
        when = (t // every + 1) * every
        out[when] = out.get(when, b"") + data
    return sorted(out.items())


def whole_seconds(reads: Reads) -> Reads:
    return [(float(t // 1000 * 1000), data) for t, data in reads]


def steps(count: int, size: int, gap: float, *, start: float = 240.0, events: list[bytes] | None = None) -> Reads:
    """An engine that lets ``size`` events go each step."""
    events = events or tale(count, ident=ID)
    return [(start + gap * (i // size), b"".join(events[i : i + size])) for i in range(0, len(events), size)]


def deflated(reads: Reads) -> Reads:
    coder = zlib.compressobj()
    out = [(t, coder.compress(data) + coder.flush(zlib.Z_SYNC_FLUSH)) for t, data in reads]
    return [*out, (reads[-1][0] + 1, coder.flush())]


def brotlied(reads: Reads) -> Reads:
    coder = brotli.Compressor(quality=4)
    out = [(t, coder.process(data) + coder.flush()) for t, data in reads]
    return [*out, (reads[-1][0] + 1, coder.finish())]


def split(reads: Reads, size: int, later: float) -> Reads:
    """Each read in pieces of ``size`` bytes, ``later`` ms apart."""
    return [(t + later * (i // size), data[i : i + size]) for t, data in reads for i in range(0, len(data), size)]


def lognormal(count: int, seed: int, median: float = 35.0, top: float = 1700.0) -> Reads:
    rng, t = random.Random(seed), 300.0
    out: Reads = []
    for event in tale(count, ident=ID):
        out.append((round(t, 2), event))
        t += min(top, median * rng.lognormvariate(0, 1.0))
    return out


def shaken(reads: Reads, seed: int) -> Reads:
    """A radio link: 10 to 150 ms of delay, order kept; two lost packets are sent again after 220 ms."""
    rng, last = random.Random(seed), 0.0
    out: Reads = []
    for i, (t, data) in enumerate(reads):
        last = max(last, t + rng.uniform(10, 150) + (220 if i in (31, 77) else 0))
        if out and last - out[-1][0] < 0.5:
            out[-1] = (out[-1][0], out[-1][1] + data)
        else:
            out.append((last, data))
    return out


def dialled(name: str, reads: Reads, clock: str, sent: str, end: str = "complete", **more: object) -> Capture:
    return hop(name, reads, end=end, exchange="x7", sent_at=sent, clock=Clock(clock, "monotonic", 0.001), **more)


def fast(count: int) -> Reads:
    return at(tale(count, ident=ID), start=210, gap=15)


def searching() -> list[bytes]:
    """Responses API: a web search runs on the server for some seconds before the text comes."""
    item = {"type": "web_search_call", "id": "ws_1", "status": "in_progress"}
    rows: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.web_search_call.in_progress", "output_index": 0, "item_id": "ws_1"},
        {"type": "response.web_search_call.searching", "output_index": 0, "item_id": "ws_1"},
        {"type": "response.web_search_call.completed", "output_index": 0, "item_id": "ws_1"},
        *[
            {"type": "response.output_text.delta", "item_id": "m1", "output_index": 1, "content_index": 0, "delta": w}
            for w in words(12)
        ],
        {"type": "response.completed", "response": {"id": "resp_1", "status": "completed"}},
    ]
    return [sse(row | {"sequence_number": i}, row["type"]) for i, row in enumerate(rows)]


def tool_run() -> list[bytes]:
    """FastGPT, detail=true: words, a tool that runs for some seconds, more words."""

    def said(text: str) -> bytes:
        choice = {"delta": {"role": "assistant", "content": text}, "index": 0, "finish_reason": None}
        return sse({"id": "", "object": "", "created": 0, "model": "", "choices": [choice]}, "answer")

    tool = {
        "id": "call_a1",
        "toolName": "weather",
        "toolAvatar": "",
        "functionName": "weather",
        "params": "",
        "response": "",
    }
    last = {
        "id": "",
        "object": "",
        "created": 0,
        "model": "",
        "choices": [{"delta": {}, "index": 0, "finish_reason": "stop"}],
    }
    return [
        sse({"status": "running", "name": "Agent"}, "flowNodeStatus"),
        *[said(w) for w in words(8)],
        sse({"tool": tool}, "toolCall"),
        sse({"tool": {"id": "call_a1", "params": '{"city":"Graz"}'}}, "toolParams"),
        sse({"tool": {"id": "call_a1", "response": "7 degrees, rain"}}, "toolResponse"),
        *[said(w) for w in words(17)[8:]],
        sse(last, "answer"),
        b"event: answer\ndata: [DONE]\n\n",
    ]


def typed_row(kind: str, **more: object) -> bytes:
    return sse({"type": kind, **more}, kind)


def waits(events: list[bytes], before: int, ms: float, gap: float = 70.0) -> Reads:
    """A pause of ``ms`` just before event ``before``."""
    return [(t + (ms if i >= before else 0), data) for i, (t, data) in enumerate(at(events, gap=gap))]


QUERY = {"type": "input_json_delta", "partial_json": '{"query":"tides"}'}
SEARCH = [
    *claude(words(5), reason=None, stop=False),
    typed_row("content_block_stop", index=0),
    typed_row("content_block_start", index=1, content_block={"type": "server_tool_use", "id": "srv_1", "name": "web"}),
    typed_row("content_block_delta", index=1, delta=QUERY),
    typed_row("content_block_stop", index=1),
    typed_row("content_block_start", index=2, content_block={"type": "web_search_tool_result", "content": []}),
    typed_row("content_block_stop", index=2),
    typed_row("content_block_start", index=3, content_block={"type": "text", "text": ""}),
    *[typed_row("content_block_delta", index=3, delta={"type": "text_delta", "text": w}) for w in words(9)],
    typed_row("content_block_stop", index=3),
    typed_row("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 40}),
    typed_row("message_stop"),
]
CLOSE = [(180.0 + 70 * (i // 2) + 3 * (i % 2), data) for i, data in enumerate(tale(41, ident=ID))]
H3 = hop("network-path", on(EVEN, 22), headers=(TYPE, ("alt-svc", 'h3=":443"; ma=86400'), ("cf-ray", "8c1-VIE")))
LETTERS = at([part("", role="assistant"), *[part(c) for c in "".join(words(24))], part(finish="stop"), DONE], gap=22)
JOINED: Reads = [LETTERS[0]]  # each word at its last letter
for _word in words(24):
    _at = sum(len(w) for w in words(24)[: len(JOINED) - 1]) + len(_word)
    JOINED.append((LETTERS[_at][0] + 4, part(_word)))
JOINED += on(LETTERS[-2:], 4)

CASES: dict[str, Unseen] = {
    "runtime-joins-two-events-3-ms-apart": fine(
        hop("gateway", CLOSE),
        hop("app", [(a[0] + 5, a[1] + b[1]) for a, b in zip(CLOSE[::2], CLOSE[1::2], strict=True)]),
    ),
    "acknowledged-each-40-ms": fine(hop("engine", fast(160)), hop("proxy", ticks(fast(160), 40))),
    "frames-of-16-ms": fine(hop("proxy", fast(120)), hop("network-path", ticks(fast(120), 16.7))),
    "deflate-flushed-each-event": fine(
        hop("app", EVEN),
        hop("proxy", on(deflated(EVEN)), headers=(*SSE, ("content-encoding", "deflate"), ("vary", "Accept-Encoding"))),
    ),
    "brotli-flushed-each-event": fine(
        hop("app", EVEN),
        hop("proxy", on(brotlied(EVEN)), headers=(*SSE, ("content-encoding", "br"), ("server", "cloudflare"))),
    ),
    "cache-hit-played-at-a-pace": fine(
        hop("gateway", at(tale(60, ident=ID), start=6, gap=20), headers=(*SSE, ("x-cache", "HIT"), ("age", "512")))
    ),
    "type-in-capitals-with-charset": fine(
        hop(
            "app",
            EVEN,
            headers=(("content-type", 'Text/Event-Stream; Charset="UTF-8"'), ("transfer-encoding", "chunked")),
        )
    ),
    "fallback-model-takes-over-before-the-text": fine(
        hop(
            "gateway",
            at(
                [
                    sse({"id": ID, "object": "chat.completion.chunk", "created": 1, "model": "primary", "choices": []}),
                    *tale(20, ident=ID),
                ]
            ),
        )
    ),
    "search-on-the-server-5-s": fine(hop("engine", waits(searching(), 4, 5_000), wire="responses")),
    "claude-searches-6-s": fine(hop("engine", waits(SEARCH, 12, 6_000), wire="anthropic")),
    "fastgpt-tool-runs-7-s": fine(*ladder(waits(tool_run(), 11, 7_000), "gateway", "app", "proxy", wire="fastgpt")),
    "two-short-pauses-of-the-collector": fine(
        hop("engine", at(tale(300, ident=ID), gap=25)),
        hop("app", frozen(frozen(on(at(tale(300, ident=ID), gap=25)), 2_500, 350), 6_000, 380)),
    ),
    "bursts-made-even": fine(
        hop("engine", steps(60, 6, 480)), hop("gateway", at(tale(60, ident=ID), start=260, gap=80))
    ),
    "steps-of-four-through-three-hops": fine(*ladder(steps(80, 4, 190), "engine", "gateway", "proxy")),
    "recorder-without-a-clock": fine(
        hop("gateway", [(0.0, data) for data in tale(20, ident=ID)], head_ms=0.0, end_ms=0.0)
    ),
    "whole-seconds-alone": fine(
        hop("engine", whole_seconds(at(tale(50, ident=ID), gap=120)), head_ms=0.0, clock=COARSE)
    ),
    "whole-seconds-at-both": fine(
        hop("engine", whole_seconds(at(tale(50, ident=ID), gap=120)), head_ms=0.0, clock=COARSE),
        hop("proxy", whole_seconds(on(at(tale(50, ident=ID), gap=120), 40)), head_ms=0.0, clock=COARSE),
    ),
    "whole-seconds-at-the-inner-only": fine(
        hop("engine", whole_seconds(at(tale(50, ident=ID), gap=120)), head_ms=0.0, clock=COARSE),
        hop("proxy", on(at(tale(50, ident=ID), gap=120), 40)),
    ),
    "stopped-and-heard-by-a-clock-4-min-wrong": fine(
        dialled(
            "engine",
            on(EVEN[:11], -3),
            "gpu",
            "2026-02-01T09:56:02.0Z",
            "aborted",
            end_ms=1_190.0,
            detail="client disconnected",
        ),
        dialled(
            "app",
            EVEN[:11],
            "web",
            "2026-02-01T10:00:00.0Z",
            "aborted",
            end_ms=1_185.0,
            detail="stopped by the user: closed by us",
        ),
    ),
    "clock-that-runs-half-a-percent-fast": fine(
        hop("engine", at(tale(280, ident=ID), gap=1_100), clock=Clock("gpu", "monotonic", 0.001)),
        hop(
            "proxy",
            [(t * 1.005 + 3, data) for t, data in at(tale(280, ident=ID), gap=1_100)],
            clock=Clock("edge", "monotonic", 0.001),
        ),
    ),
    "outer-stamped-before-the-inner": fine(
        hop("gateway", EVEN, clock=Clock("a", "monotonic", 0.001, 0.0, 40.0), exchange="x7"),
        hop("app", on(EVEN, -30), clock=Clock("b", "monotonic", 0.001, 0.0, 40.0), exchange="x7"),
    ),
    "second-exchange-was-earlier": fine(
        hop("engine", at(tale(40, ident="chatcmpl-aa1"), start=900, gap=80), exchange="p1"),
        hop("proxy", at(tale(40, ident="chatcmpl-bb2"), start=350, gap=60), exchange="p2"),
    ),
    "third-http": fine(
        hop("app", EVEN),
        replace(H3, head=replace(H3.head, http="3") if H3.head else None),
    ),
    "padding-before-and-padded-beats": fine(
        *ladder(
            beating(
                [(8.0, b":" + b" " * 2048 + b"\n\n"), *at(tale(30, ident=ID), gap=900)],
                27_000,
                9_000,
                b": " + b"." * 1024 + b"\n\n",
            ),
            "app",
            "proxy",
        )
    ),
    "ping-events-without-data": fine(
        *ladder(beating(at(tale(30, ident=ID), gap=900), 27_000, 10_000, b"event: ping\ndata: \n\n"), "gateway", "app")
    ),
    "stage-told-before-the-words": fine(
        hop(
            "app",
            [
                (9.0, sse({"stage": "retrieving"}, "stage")),
                (2_400.0, sse({"stage": "writing", "documents": 4}, "stage")),
                *at(tale(30, ident=ID), start=3_100),
            ],
        )
    ),
    "ping-between-data-and-blank-line": fine(
        hop("gateway", [(t, data[:-1] + b": ping\n\n" if i % 9 == 4 else data) for i, (t, data) in enumerate(EVEN)])
    ),
    "radio-with-lost-packets": fine(
        hop("proxy", at(tale(120, ident=ID), gap=45)), hop("network-path", shaken(at(tale(120, ident=ID), gap=45), 5))
    ),
    "our-total-limit-while-words-flow": fine(
        hop(
            "engine",
            at(tale(260, ident=ID), gap=240)[:240],
            end="timeout",
            end_ms=60_000.0,
            detail="total limit 60 s (ours)",
        )
    ),
    "busy-engine-of-uneven-steps": fine(*ladder(lognormal(300, 3), "engine", "proxy")),
    "busy-engine-seen-alone": fine(hop("engine", lognormal(220, 11))),
    "varnish-passes": fine(
        hop("app", EVEN),
        hop(
            "proxy",
            on(EVEN),
            headers=(
                *SSE,
                ("via", "1.1 varnish (Varnish/7.5)"),
                ("age", "0"),
                ("x-cache", "MISS"),
                ("x-varnish", "32770"),
            ),
        ),
    ),
    "three-bytes-a-read": fine(
        hop("gateway", at(tale(12, ident=ID))), hop("app", split(on(at(tale(12, ident=ID))), 3, 0.02))
    ),
    "second-half-30-ms-later": fine(hop("engine", EVEN), hop("proxy", split(on(EVEN), 100, 30))),
    "created-201": fine(hop("app", EVEN, status=201, headers=(*SSE, ("x-powered-by", "Express")))),
    "ends-well-at-exactly-60-s": fine(
        *ladder(
            [
                *at(tale(240, ident=ID)[:-1], start=400, gap=246)[:-1],
                (59_990.0, part(finish="stop", ident=ID)),
                (60_000.0, DONE),
            ],
            "app",
            "proxy",
            end_ms=60_000.0,
        )
    ),
    "letters-joined-to-words": fine(
        hop("engine", LETTERS),
        hop("gateway", JOINED),
    ),
    "repeats-hop-by-hop": fine(
        *[hop("engine", on(EVEN, 4 * i), repeat=i) for i in range(3)],
        *[hop("proxy", on(EVEN, 6 + 4 * i), repeat=i) for i in range(3)],
    ),
    "repeats-in-turn-last-first": fine(
        *[
            hop(name, on(EVEN, shift + 5 * i), repeat=i)
            for i in (2, 1, 0)
            for name, shift in (("engine", 0), ("app", 4), ("proxy", 7))
        ]
    ),
    "tool-arguments-then-the-call-is-handed-over": fine(
        *ladder(
            at(
                [
                    part("", role="assistant"),
                    call(0, "", name="weather", ident="call_1"),
                    *[call(0, p) for p in ('{"ci', 'ty":"', "Graz", '"}')],
                    part(finish="tool_calls"),
                    DONE,
                ]
            ),
            "engine",
            "gateway",
            "app",
        )
    ),
}
