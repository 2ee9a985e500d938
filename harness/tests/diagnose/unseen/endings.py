"""Ends that are none, refusals, stops: truncation, reset, error, not-streamed, not-cancelled."""

from __future__ import annotations

import json

from harness.tests.diagnose.build import SSE
from harness.tests.diagnose.unseen.delays import beating
from harness.tests.diagnose.unseen.kit import (
    DONE,
    END,
    RESPONSE,
    START,
    Unseen,
    at,
    fault,
    hop,
    ladder,
    on,
    part,
    refusal,
    silent,
    sse,
    tale,
    warn,
    words,
)  # fmt: skip
from harness.tests.diagnose.unseen.legal import members

EVEN = at(tale(30))
PAGE = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>\n"
BROKEN_PIPE = {
    "id": "cmpl-1",
    "error": {"code": 502, "message": "Provider disconnected"},
    "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
}

CASES: dict[str, Unseen] = {
    "comments-and-nothing-else": fault(
        "truncation|not-streamed|first-byte",
        "gateway",
        hop("gateway", [(1_000.0 * i, b": ping\n\n") for i in range(1, 9)]),
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
    "gzip-cut": fault(
        "truncation",
        "proxy",
        hop("app", EVEN),
        hop("proxy", members(on(EVEN))[:14], end="truncated", headers=(*SSE, ("content-encoding", "gzip"))),
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
    "cut-behind-pings-without-end": fault(
        "reset|truncation",
        "engine",
        hop("engine", EVEN[:12], end="reset"),
        hop("gateway", beating(on(EVEN[:12]), 40_000), end="open", end_ms=45_000),
    ),
}
