"""Edge cases of headers, framing, recorders and refusals between hops, sick and sound by turns."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import replace

from harness.tests.diagnose.build import DONE, NDJSON, SSE, ollama
from harness.tests.diagnose.unseen.between import of, page, typed
from harness.tests.diagnose.unseen.calm import ID
from harness.tests.diagnose.unseen.delays import EVEN, LONG, beating, flushed, paused
from harness.tests.diagnose.unseen.kit import (
    Reads,
    Unseen,
    at,
    call,
    fault,
    fine,
    hop,
    ladder,
    on,
    part,
    refusal,
    silent,
    sized,
    sse,
    tale,
    warn,
    words,
)  # fmt: skip


def gz(reads: Reads) -> Reads:
    coder = zlib.compressobj(wbits=31)
    out = [(t, coder.compress(data) + coder.flush(zlib.Z_SYNC_FLUSH)) for t, data in reads]
    return [*out, (reads[-1][0] + 1, coder.flush())]


def coded(kind: str) -> tuple[tuple[str, str], ...]:
    return (*SSE, ("content-encoding", kind))


def clean(reads: Reads, size: int) -> Reads:
    """The first ``size`` bytes and a clean end."""
    out: Reads = []
    for t, data in reads:
        out.append((t + 2, data[: max(size, 0)]))
        size -= len(data)
    return [row for row in out if row[1]]


def held_gz(reads: Reads) -> Reads:
    """Compressed, let go whenever the compressor has a block full."""
    data = gzip.compress(b"".join(d for _, d in reads), mtime=0)
    return [(reads[2][0], data[:10]), (reads[len(reads) // 2][0], data[10:400]), (reads[-1][0] + 3, data[400:])]


def chars() -> list[str]:
    text = json.dumps({"title": "Minutes", "text": "".join(words(14))})
    return [text[i : i + 5] for i in range(0, len(text), 5)]


PHP = b"<br />\n<b>Warning</b>:  Undefined array key in <b>/srv/app/chat.php</b> on line <b>88</b><br />\n"
LIMIT = {"error": {"message": "Too many requests", "type": "rate_limit_error", "code": "rate_limit_exceeded"}}
NUMBERED = [(t, b"id: %d\n" % i + d) for i, (t, d) in enumerate(EVEN)]

CASES: dict[str, Unseen] = {
    # sound
    "content-encoding-none": fine(*ladder(EVEN, "gateway", "app", headers=coded("none"))),
    "content-encoding-identity": fine(hop("engine", EVEN), hop("proxy", on(EVEN), headers=coded("identity"))),
    "content-encoding-empty": fine(hop("app", EVEN, headers=coded(""))),
    "transfer-encoding-identity": fine(
        hop("app", EVEN),
        hop(
            "proxy",
            on(EVEN),
            headers=(
                ("content-type", "text/event-stream"),
                ("transfer-encoding", "identity"),
                ("server", "awselb/2.0"),
            ),
        ),
    ),
    "trailer-announced": fine(*ladder(EVEN, "app", "proxy", headers=(*SSE, ("trailer", "x-checksum, grpc-status")))),
    "length-known-and-still-streamed": fine(
        *ladder(
            EVEN,
            "gateway",
            "app",
            headers=(("content-type", "text/event-stream"), ("content-length", str(sum(len(d) for _, d in EVEN)))),
        )
    ),
    "head-not-recorded": fine(hop("engine", EVEN), hop("proxy", on(EVEN), status=None)),
    "end-not-recorded": fine(hop("engine", EVEN, end=None), hop("proxy", on(EVEN), end=None)),
    "request-not-recorded": fine(*[replace(c, request=None, wire="") for c in ladder(EVEN, "engine", "proxy")]),
    "inner-recording-stopped-early": fine(
        hop("engine", EVEN[:15], end="open", end_ms=EVEN[14][0] + 40), hop("proxy", on(EVEN))
    ),
    "retry-line-and-comment-added-by-the-proxy": fine(
        hop("app", EVEN), hop("proxy", [(6.0, b": welcome\nretry: 3000\n\n"), *on(EVEN)])
    ),
    "comments-and-ids-dropped-by-the-gateway": fine(
        hop("engine", beating(NUMBERED, 2_500, 500)), hop("gateway", on(EVEN, 4))
    ),
    "one-event-told-in-two": fine(
        hop(
            "engine",
            at(
                [
                    part("", role="assistant"),
                    *[part(a + b) for a, b in zip(words(24)[::2], words(24)[1::2], strict=True)],
                    part(finish="stop"),
                    DONE,
                ],
                gap=160,
            ),
        ),
        hop(
            "gateway",
            at(
                [
                    part("", role="assistant"),
                    *[part(a) + part(b) for a, b in zip(words(24)[::2], words(24)[1::2], strict=True)],
                    part(finish="stop"),
                    DONE,
                ],
                gap=160,
            ),
        ),
    ),
    "sdk-leaves-at-the-finish": fine(
        of("engine", EVEN, "complete", 2_700.0),
        of("app", on(EVEN[:-1]), "aborted", EVEN[-2][0] + 2.5, "closed by us after finish_reason"),
    ),
    "sdk-leaves-at-done": fine(
        of("engine", EVEN, "complete", 2_700.0),
        of("app", on(EVEN), "aborted", EVEN[-1][0] + 2.2, "closed by us after [DONE]"),
    ),
    "long-way-200-ms": fine(hop("proxy", EVEN), hop("network-path", on(EVEN, 200), head_ms=206.0)),
    "cold-direct-warm-behind": fine(hop("engine", at(tale(30), start=2_400)), hop("proxy", at(tale(30), start=310))),
    "server-says-client-left-after-done": fine(
        of("app", EVEN, "aborted", EVEN[-1][0] + 4, "client disconnected", tap="write"),
        of("network-path", on(EVEN, 20), "complete", EVEN[-1][0] + 30, tap="arrive"),
    ),
    "ndjson-with-blank-lines-and-cr": fine(
        hop(
            "engine",
            at([ollama(w)[:-1] + b"\r\n\r\n" for w in words(14)] + [ollama("", done=True, done_reason="stop")]),
            headers=NDJSON,
        )
    ),
    "done-with-a-blank-after-it": fine(hop("gateway", [*EVEN[:-1], (EVEN[-1][0], b"data: [DONE] \n\n")])),
    "done-without-a-blank-before-it": fine(hop("gateway", [*EVEN[:-1], (EVEN[-1][0], b"data:[DONE]\n\n")])),
    "stamps-that-step-back-a-little": fine(
        hop("engine", [(t - (0.4 if i % 5 == 4 else 0), d) for i, (t, d) in enumerate(at(tale(60, ident=ID), gap=0.3))])
    ),
    "pause-of-1-9-s-in-front-only-once": fine(hop("engine", EVEN), hop("proxy", on(EVEN))),
    "usage-and-cost-after-done": fine(hop("gateway", [*EVEN, (EVEN[-1][0] + 3, b": cost 0.0004\n\n")])),
    "cors-and-many-headers": fine(
        hop(
            "app",
            EVEN,
            headers=(
                *SSE,
                ("access-control-allow-origin", "https://chat.example"),
                ("vary", "Origin"),
                ("vary", "Accept-Encoding"),
                ("set-cookie", "***"),
                ("set-cookie", "***"),
                ("x-ratelimit-remaining-requests", "0"),
            ),
        )
    ),
    "two-exchanges-two-lengths-of-thought": fine(
        hop(
            "engine",
            at(
                [
                    part("", role="assistant"),
                    *[part(reasoning_content=w) for w in words(40)],
                    *[part(w) for w in words(12)],
                    part(finish="stop"),
                    DONE,
                ],
                gap=30,
            ),
            exchange="p1",
        ),
        hop(
            "gateway",
            at(
                [
                    part("", role="assistant"),
                    *[part(reasoning_content=w) for w in reversed(words(31))],
                    *[part(w) for w in words(12)],
                    part(finish="stop"),
                    DONE,
                ],
                gap=30,
            ),
            exchange="p2",
        ),
    ),
    "three-slow-words": fine(*ladder(at(tale(3), gap=1_900), "engine", "proxy")),
    "one-word": fine(
        *ladder(
            at([part("", role="assistant"), part("Yes."), part(finish="stop"), DONE], start=600),
            "engine",
            "gateway",
            "app",
            "proxy",
        )
    ),
    "answer-of-nothing-but-a-call": fine(
        *ladder(
            at(
                [
                    part(
                        role="assistant",
                        tool_calls=[
                            {
                                "index": 0,
                                "id": "call_1",
                                "type": "function",
                                "function": {"name": "now", "arguments": "{}"},
                            }
                        ],
                    ),
                    part(finish="tool_calls"),
                    DONE,
                ]
            ),
            "engine",
            "gateway",
        )
    ),
    # sick
    "compressed-twice-said-once": fault(
        "malformed|encoding|headers|truncation|loss|not-streamed",
        "proxy-2",
        hop("proxy-1", gz(EVEN), headers=coded("gzip")),
        hop("proxy-2", on(gz(gz(EVEN))), headers=coded("gzip")),
    ),
    "not-modified-304": fault(
        "error|not-streamed",
        "proxy",
        hop("app", EVEN),
        hop("proxy", [], status=304, head_ms=4.0, headers=(("etag", 'W/"1f"'), ("x-cache", "HIT"))),
    ),
    "request-timeout-408": fault(
        "error|not-streamed",
        "proxy",
        hop(
            "proxy",
            [(10_001.0, page("408 Request Time-out").encode())],
            status=408,
            head_ms=10_001.0,
            headers=(("content-type", "text/html"), ("connection", "close")),
        ),
    ),
    "too-many-requests-at-the-edge": fault(
        "error|not-streamed",
        "network-path",
        *ladder(EVEN, "app", "proxy"),
        refusal(
            "network-path",
            429,
            page("429 Too Many Requests"),
            12.0,
            extra=(("retry-after", "60"), ("server", "cloudflare")),
        ),
    ),
    "limit-told-in-band-and-clear": fault(
        "error", "engine", refusal("engine", 429, LIMIT, 30.0), hop("gateway", [(40.0, sse(LIMIT)), (41.0, DONE)])
    ),
    "proxy-down-while-the-engine-answers": fault(
        "reset|error|not-streamed",
        "proxy",
        hop("engine", EVEN),
        silent("proxy", 1.0, "reset", detail="connection refused"),
    ),
    "name-not-found-in-front": fault(
        "reset|error|not-streamed",
        "network-path",
        *ladder(EVEN, "app", "proxy"),
        silent("network-path", 21.0, "reset", detail="getaddrinfo ENOTFOUND chat.example"),
    ),
    "finish-and-done-lost-text-whole": fault("truncation|loss", "proxy", hop("app", EVEN), hop("proxy", on(EVEN[:-2]))),
    "finish-lost-done-there": warn(
        "malformed|truncation|rewrite|loss", "gateway", hop("engine", EVEN), hop("gateway", on([*EVEN[:-2], EVEN[-1]]))
    ),
    "script-warning-before-the-stream": warn(
        "malformed", "app", hop("gateway", EVEN), hop("app", [(30.0, PHP), *on(EVEN)])
    ),
    "fifo-of-64-kib-ends-cleanly": fault(
        "truncation|loss",
        "app",
        hop("gateway", at(tale(500, ident=ID), gap=12)),
        hop("app", clean(at(tale(500, ident=ID), gap=12), 65_536)),
    ),
    "h2-clumps-where-h1-does-not": fault(
        "burst",
        "proxy-2",
        hop("app", LONG),
        hop("proxy-1", on(LONG)),
        replace(hop("proxy-2", sized(LONG, 8192)), head=None),
    ),
    "gzip-asked-for-and-held-32-kib": fault(
        "burst|not-streamed", "app", hop("gateway", LONG), hop("app", held_gz(LONG), headers=coded("gzip"))
    ),
    "pod-goes-and-all-hops-fall": fault(
        "reset|truncation",
        "engine",
        hop("engine", LONG[:44], end="reset", end_ms=LONG[43][0] + 30),
        hop("gateway", on(LONG[:44]), end="truncated", end_ms=LONG[43][0] + 31),
        hop("app", on(LONG[:44], 4)),
        hop("proxy", on(LONG[:44], 6)),
    ),
    "silence-then-504-inside-the-stream": fault(
        "error|stall|malformed",
        "proxy",
        hop("app", paused(EVEN, 10, 80_000)),
        hop(
            "proxy",
            [*on(EVEN[:10]), (EVEN[9][0] + 60_002, page("504 Gateway Time-out", "nginx").encode())],
            end_ms=EVEN[9][0] + 60_003,
        ),
    ),
    "empty-choices-only": fault(
        "content|truncation|error|loss",
        "gateway",
        hop("engine", EVEN),
        hop(
            "gateway",
            at(
                [
                    *[
                        sse({"id": ID, "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []})
                        for _ in range(6)
                    ],
                    DONE,
                ]
            ),
        ),
    ),
    "json-lines-where-events-were": fault(
        "malformed|not-streamed|rewrite|headers",
        "gateway",
        hop("engine", EVEN),
        hop("gateway", on([(t, d[6:-1]) for t, d in EVEN[:-1]]), headers=typed("text/event-stream")),
    ),
    "hold-until-the-tool-json-is-whole": fault(
        "burst|first-byte",
        "gateway",
        hop(
            "engine",
            at(
                [
                    part("", role="assistant"),
                    call(0, "", name="save", ident="call_7"),
                    *[call(0, p) for p in chars()],
                    part(finish="tool_calls"),
                    DONE,
                ],
                gap=110,
            ),
        ),
        hop(
            "gateway",
            [
                (181.0, part("", role="assistant")),
                (180 + 110 * (len(chars()) + 2) + 1.0, call(0, "".join(chars()), name="save", ident="call_7")),
                (180 + 110 * (len(chars()) + 3) + 2.0, part(finish="tool_calls") + DONE),
            ],
        ),
    ),
    "stopped-and-two-hops-go-on": fault(
        "not-cancelled",
        "app",
        of("engine", LONG, "complete", LONG[-1][0] + 1),
        of("gateway", on(LONG), "complete", LONG[-1][0] + 4),
        of("app", on(LONG[:30], 4), "aborted", 2_000.0, "stopped by the user: closed by us"),
    ),
    "limit-of-a-slow-reader": fault(
        "truncation|reset",
        "proxy",
        of("app", LONG[:60], "aborted", LONG[59][0] + 200, "closed by the hop in front"),
        of("proxy", on(LONG[:41], 900), "reset", LONG[59][0] + 199, "send timed out"),
    ),
    "blocks-of-a-second-with-coarse-stamps": fault(
        "burst",
        "proxy",
        hop("app", at(tale(80, ident=ID), gap=100)),
        hop("proxy", flushed(at(tale(80, ident=ID), gap=100), range(3_000, 12_000, 3_000))),
    ),
}
