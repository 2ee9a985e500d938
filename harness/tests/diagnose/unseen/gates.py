"""What cuts, refuses, mixes up or spoils a stream on its way: timers, restarts, walls, caches, rewriting hops."""

from __future__ import annotations

import gzip
import json

from harness.tests.diagnose.build import DONE, SSE
from harness.tests.diagnose.unseen.between import TYPE, of, page, typed
from harness.tests.diagnose.unseen.breaks import upto
from harness.tests.diagnose.unseen.calm import ID, LETTERS
from harness.tests.diagnose.unseen.delays import EVEN, LONG, beating, flushed, paused
from harness.tests.diagnose.unseen.kit import (
    Reads,
    Unseen,
    at,
    call,
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
    whole,
    words,
)  # fmt: skip

LATE = at(tale(30), start=41_000)


def cut_at(reads: Reads, size: int) -> Reads:
    """A clean end after ``size`` bytes."""
    out: Reads = []
    for t, data in reads:
        size -= len(data)
        out.append((t + 2, data if size >= 0 else data[:size]))
        if size <= 0:
            break
    return out


def chunked(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


FAT = at(tale(120, ident=ID, system_fingerprint="f" * 1_100), gap=40)
RAW = gzip.compress(b"".join(data for _, data in EVEN), mtime=0)
TAIL = b'","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
OTHER = [
    "Your ",
    "invoice ",
    "of ",
    "March ",
    "was ",
    "sent ",
    "to ",
    "the ",
    "new ",
    "address ",
    "in ",
    "Linz ",
    "today.",
]
CALLS = [
    call(0, "", name="python", ident="call_9"),
    *[call(0, p) for p in ('{"language":', '"python",', '"code":"pri', "nt(1)", '"}')],
]
AGAIN = [*CALLS[:4], *CALLS, part(finish="tool_calls"), DONE]

CASES: dict[str, Unseen] = {
    "client-total-90-s": fault("truncation|reset", "app", hop("app", upto(90_030.0), end="reset", end_ms=90_030.0)),
    "ingress-15-006-s-while-it-streamed": fault(
        "first-byte|error|not-streamed",
        "proxy",
        hop("app", at(tale(60), start=600, gap=250)),
        refusal("proxy", 504, "upstream request timeout", 15_006.0, extra=(("server", "istio-envoy"),)),
    ),
    "router-30-s-then-503": fault(
        "error|first-byte|not-streamed",
        "proxy",
        hop("app", LATE, head_ms=40_990.0),
        refusal("proxy", 503, page("Application error", "code=H12"), 30_001.0, extra=(("server", "heroku-router"),)),
    ),
    "router-55-s-without-a-byte": fault(
        "truncation|reset|stall",
        "proxy",
        hop("app", paused(EVEN, 10, 70_000)),
        hop("proxy", on(EVEN[:10]), end="truncated", end_ms=EVEN[9][0] + 55_003),
    ),
    "function-10-s": fault("truncation|reset", "app", hop("app", upto(10_000.0), end="truncated", end_ms=10_004.0)),
    "function-must-speak-within-25-s": fault(
        "error|first-byte|not-streamed",
        "app",
        refusal(
            "app",
            504,
            "An error occurred with this application.\n\nFUNCTION_INVOCATION_TIMEOUT\n",
            25_020.0,
            extra=(("server", "Vercel"), ("x-vercel-error", "FUNCTION_INVOCATION_TIMEOUT")),
        ),
    ),
    "rolling-restart-at-the-app": fault(
        "truncation|reset",
        "app",
        of("gateway", LONG[:50], "aborted", LONG[49][0] + 6, "closed by the app"),
        of("app", on(LONG[:50]), "truncated", LONG[49][0] + 5),
        of("proxy", on(LONG[:50], 4), "truncated", LONG[49][0] + 9),
    ),
    "goaway-in-the-middle": fault(
        "reset|truncation",
        "proxy",
        hop("app", LONG),
        hop(
            "proxy",
            on(LONG[:70]),
            end="reset",
            end_ms=LONG[69][0] + 11,
            detail="GOAWAY received, error NO_ERROR, last stream 1",
            headers=(TYPE,),
        ),
    ),
    "worker-recycled-after-its-last-request": fault(
        "truncation|reset", "app", hop("app", LONG[:33], end="truncated", headers=(*SSE, ("server", "uvicorn")))
    ),
    "sidecar-of-three-cuts": fault(
        "truncation|reset",
        "proxy-1",
        hop("app", LONG),
        hop("proxy-1", on(LONG[:61]), end="reset", end_ms=LONG[60][0] + 8),
        hop("proxy-2", on(LONG[:61], 4), end="truncated", end_ms=LONG[60][0] + 10),
    ),
    "stale-connection-502": fault(
        "error|not-streamed",
        "proxy",
        hop("engine", EVEN),
        refusal("proxy", 502, page("502 Bad Gateway", "nginx/1.25.3"), 6.0, extra=(("server", "nginx/1.25.3"),)),
    ),
    "cookies-too-large-431": fault(
        "error|not-streamed",
        "app",
        hop("app", [], status=431, head_ms=3.0, headers=(("connection", "close"), ("content-length", "0"))),
    ),
    "firewall-403": fault(
        "error|not-streamed",
        "network-path",
        hop("proxy", EVEN),
        refusal(
            "network-path",
            403,
            page("Access Denied", "Reference #18.2d351ab8"),
            31.0,
            extra=(("server", "AkamaiGHost"),),
        ),
    ),
    "challenge-page-with-200": fault(
        "error|not-streamed",
        "network-path",
        hop("proxy", EVEN),
        refusal(
            "network-path",
            200,
            page("Just a moment...", "Checking your browser"),
            60.0,
            extra=(("server", "cloudflare"),),
        ),
    ),
    "proxy-wants-a-password-407": fault(
        "error|not-streamed",
        "network-path",
        hop(
            "network-path",
            [],
            status=407,
            head_ms=9.0,
            headers=(("proxy-authenticate", "NTLM"), ("content-length", "0")),
        ),
    ),
    "browser-may-not-read": fault(
        "reset|error|not-streamed",
        "network-path",
        hop("proxy", EVEN, headers=(*SSE, ("access-control-allow-origin", "*, *"))),
        hop(
            "network-path", [], status=None, end="reset", end_ms=40.0, detail="TypeError: Failed to fetch", tap="arrive"
        ),
    ),
    "network-changed": fault(
        "truncation|reset",
        "network-path",
        of("app", LONG[:80], "aborted", LONG[79][0] + 900, "client connection lost", tap="write"),
        of("network-path", on(LONG[:71], 15), "truncated", LONG[70][0] + 16, "browser-cannot-tell", tap="arrive"),
    ),
    "sizes-of-chunks-in-the-body": warn(
        "malformed|headers|rewrite",
        "proxy",
        hop("app", EVEN),
        hop("proxy", on([(t, chunked(d)) for t, d in EVEN] + [(EVEN[-1][0] + 1, b"0\r\n\r\n")])),
    ),
    "gzip-without-its-header": fault(
        "malformed|encoding|headers|not-streamed|truncation|loss",
        "gateway",
        hop("engine", EVEN),
        hop("gateway", [(EVEN[-1][0] + 4, RAW)]),
    ),
    "octet-stream": warn(
        "headers|not-streamed|rewrite",
        "app",
        hop("gateway", EVEN),
        hop("app", on(EVEN), headers=typed("application/octet-stream")),
    ),
    "readystream": warn("headers|not-streamed", "app", hop("app", EVEN, headers=typed("text/readystream"))),
    "chunked-said-twice": warn(
        "headers",
        "gateway",
        hop("engine", EVEN),
        hop("gateway", on(EVEN), headers=(*SSE, ("transfer-encoding", "chunked"))),
    ),
    "length-of-the-first-chunk-seen-alone": fault(
        "truncation", "gateway", hop("gateway", EVEN[:1], headers=(TYPE, ("content-length", str(len(EVEN[0][1])))))
    ),
    "http-1-0-closes-in-an-event": fault(
        "truncation|loss",
        "proxy",
        hop("app", LONG),
        hop("proxy", [*on(LONG[:40]), (LONG[40][0] + 2, LONG[40][1][:77])], headers=(TYPE, ("connection", "close"))),
    ),
    "worker-killed-at-30-s": fault(
        "truncation|reset",
        "app",
        hop("gateway", upto(30_400.0), end="aborted", end_ms=30_010.0),
        hop("app", upto(30_000.0), end="truncated", end_ms=30_008.0),
    ),
    "body-inspection-limit-128-kib": fault(
        "truncation|loss", "proxy", hop("app", FAT), hop("proxy", cut_at(FAT, 131_072))
    ),
    "inner-proxy-ends-cleanly-outer-too": fault(
        "truncation|loss", "proxy-1", hop("app", LONG), hop("proxy-1", on(LONG[:90])), hop("proxy-2", on(LONG[:90], 4))
    ),
    "last-frames-lost-in-translation": fault("truncation|loss", "proxy", hop("app", LONG), hop("proxy", on(LONG[:-4]))),
    "answer-of-another-user": fault(
        "interleave|content|loss|rewrite",
        "proxy",
        of("app", EVEN, "complete", 2_700.0),
        of(
            "proxy",
            at(
                [
                    part("", role="assistant", ident="chatcmpl-zz9"),
                    *[part(w, ident="chatcmpl-zz9") for w in OTHER],
                    part(finish="stop", ident="chatcmpl-zz9"),
                    DONE,
                ]
            ),
            "complete",
            2_700.0,
        ),
    ),
    "tail-of-the-answer-before": fault(
        "interleave|malformed|duplicate|content",
        "proxy",
        hop("app", EVEN),
        hop("proxy", [(20.0, TAIL + DONE), *on(EVEN)]),
    ),
    "exclamation-marks-from-the-cache": fault(
        "loss|content|rewrite",
        "gateway",
        of("engine", EVEN, "complete", 2_700.0),
        of(
            "gateway",
            at([part("", role="assistant"), *[part("!!!!") for _ in range(24)], part(finish="stop"), DONE], gap=12),
            "complete",
            700.0,
        ),
    ),
    "arguments-begin-again-after-a-retry": fault(
        "malformed|duplicate",
        "gateway",
        hop("engine", at([part("", role="assistant"), *CALLS, part(finish="tool_calls"), DONE])),
        hop("gateway", at([part("", role="assistant"), *AGAIN])),
    ),
    "reset-told-as-an-empty-stop": fault(
        "reset|truncation|error|content|not-streamed",
        "engine",
        silent("engine", 900.0, "reset", detail="Connection reset by peer"),
        hop("gateway", at([part("", role="assistant"), part(finish="stop"), DONE], start=910, gap=1)),
    ),
    "ping-written-into-an-event": fault(
        "malformed|loss|interleave",
        "gateway",
        hop("engine", EVEN),
        hop("gateway", [(t + 2, d[:60] + b": ping\n\n" + d[60:] if i == 13 else d) for i, (t, d) in enumerate(EVEN)]),
    ),
    "four-hops-and-the-gateway-goes-on": fault(
        "not-cancelled",
        "gateway",
        of("engine", LONG, "complete", LONG[-1][0] + 1),
        of("gateway", on(LONG[:30]), "aborted", 2_060.0, "closed by the app"),
        of("app", on(LONG[:29], 4), "aborted", 2_040.0, "client disconnected"),
        of("proxy", on(LONG[:29], 6), "aborted", 2_020.0, "stopped by the user: closed by us"),
    ),
    "our-read-timer-5-s-in-the-middle": fault(
        "stall|truncation",
        "engine",
        hop("engine", EVEN[:12], end="timeout", end_ms=EVEN[11][0] + 5_000, detail="read timeout 5 s (ours)"),
    ),
    "integration-29-s-while-it-streamed": fault(
        "error|first-byte|not-streamed",
        "proxy",
        hop("app", at(tale(160), start=400, gap=260)),
        refusal(
            "proxy",
            504,
            {"message": "Endpoint request timed out"},
            29_012.0,
            extra=(("x-amzn-errortype", "InternalServerErrorException"),),
        ),
    ),
    "buffer-too-small-500": fault(
        "error|not-streamed",
        "proxy",
        hop("app", EVEN),
        hop("proxy", [], status=500, head_ms=EVEN[-1][0] + 8, headers=(("content-length", "0"), ("server", "envoy"))),
    ),
    "backend-fetch-failed-60-s": fault(
        "error|first-byte|not-streamed",
        "proxy",
        hop("engine", at(tale(20), start=75_000), head_ms=74_990.0),
        refusal(
            "proxy",
            503,
            page("503 Backend fetch failed", "Guru Meditation: XID: 32771"),
            60_004.0,
            extra=(("via", "1.1 varnish"), ("server", "Varnish")),
        ),
    ),
    "letters-held-for-lines": fault(
        "burst|first-byte",
        "app",
        hop("gateway", LETTERS),
        hop("app", flushed(LETTERS, [LETTERS[i][0] + 1 for i in range(45, len(LETTERS), 45)])),
    ),
    "document-as-one-json-behind-a-queue": fault(
        "not-streamed",
        "gateway",
        hop("engine", EVEN),
        refusal(
            "gateway", 200, json.loads(json.dumps(whole("".join(words(24))))), 2_700.0, extra=(("x-queue", "batch"),)
        ),
    ),
    "beats-pass-and-words-do-not": fault(
        "burst|stall|first-byte",
        "proxy",
        hop("app", beating(at(tale(30), gap=700), 21_000)),
        hop(
            "proxy",
            flushed(beating(at(tale(30), gap=700), 21_000)[:0], [1.0]) or beating([], 21_000),
            end="open",
            end_ms=22_000.0,
        ),
    ),
    "edge-html-behind-two-good-hops": fault(
        "error|not-streamed",
        "network-path",
        *ladder(EVEN, "app", "proxy"),
        refusal("network-path", 200, page("Sign in to your account"), 90.0),
    ),
    "error-frame-then-reset-at-the-proxy": fault(
        "error|reset|truncation",
        "app",
        hop(
            "app",
            [
                *EVEN[:9],
                (EVEN[9][0], sse({"error": {"message": "upstream timed out", "type": "timeout", "code": 504}})),
            ],
        ),
        hop(
            "proxy",
            on(
                [
                    *EVEN[:9],
                    (EVEN[9][0], sse({"error": {"message": "upstream timed out", "type": "timeout", "code": 504}})),
                ]
            ),
            end="reset",
        ),
    ),
}
