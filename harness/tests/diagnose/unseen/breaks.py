"""Cut, reset, refused, not stopped: truncation, reset, error, not-streamed, not-cancelled."""

from __future__ import annotations

import json

from harness.capture.model import Capture
from harness.tests.diagnose.build import NDJSON, SSE, ollama
from harness.tests.diagnose.unseen.kit import (
    DONE,
    Reads,
    Unseen,
    at,
    claude,
    fault,
    hop,
    ladder,
    on,
    part,
    refusal,
    respond,
    silent,
    sse,
    tale,
    warn,
    whole,
    words,
)  # fmt: skip

EVEN = at(tale(24))
ENGINE_ERROR = {"error": {"message": "EngineCore encountered an issue", "type": "InternalServerError", "code": 500}}
LIMIT = {"error": {"message": "Rate limit reached for requests", "type": "rate_limit_error", "code": "429"}}
SENT = "2026-02-01T10:00:00Z"


def upto(ms: float, gap: float = 240.0) -> Reads:
    """A stream that flows to ``ms`` and would have gone on."""
    return [row for row in at(tale(int(ms / gap) + 30), gap=gap) if row[0] < ms]


def shut(name: str, ms: float, gap: float = 240.0) -> Capture:
    """The inner side of a cut: closed by the hop in front."""
    return hop(name, upto(ms, gap), end="aborted", end_ms=ms + 2, detail="closed by the hop in front")


def quiet(name: str, after: int, end_ms: float, end: str, **more: str) -> Capture:
    return hop(name, EVEN[:after], end=end, end_ms=end_ms, **more)


def left(name: str, reads: Reads, end: str, end_ms: float, detail: str = "") -> Capture:
    return hop(name, reads, end=end, end_ms=end_ms, detail=detail, exchange="x1", sent_at=SENT)


def records(texts: list[str], *last: bytes) -> Reads:
    return at([*[ollama(text) for text in texts], *last])


CUT = EVEN[:12]
CASES: dict[str, Unseen] = {
    "api-gateway-29-s": fault(
        "truncation|reset",
        "proxy",
        shut("app", 29_000),
        hop("proxy", on(upto(28_990)), end="truncated", end_ms=29_003.0),
    ),
    "function-limit-300-s": fault(
        "truncation|reset",
        "app",
        shut("gateway", 300_000, 2_000),
        hop("app", on(upto(299_900, 2_000)), end="truncated", end_ms=300_010.0),
    ),
    "balancer-idle-60-s-in-a-tool-run": fault(
        "reset|truncation|stall",
        "proxy",
        quiet("app", 10, 61_060, "aborted", detail="closed by proxy"),
        quiet("proxy", 10, 61_040, "reset"),
    ),
    "cdn-idle-100-s": fault(
        "reset|truncation|stall",
        "network-path",
        quiet("app", 14, 101_440, "aborted"),
        quiet("network-path", 14, 101_430, "truncated"),
    ),
    "mesh-idle-300-s": fault(
        "reset|truncation|stall",
        "gateway",
        quiet("engine", 6, 300_700, "aborted"),
        quiet("gateway", 6, 300_690, "reset"),
    ),
    "h2-internal-error": fault(
        "reset|truncation",
        "proxy",
        hop("app", EVEN),
        hop("proxy", on(EVEN[:17]), end="reset", detail="HTTP/2 RST_STREAM INTERNAL_ERROR (2)"),
    ),
    "ingress-reload-240-s": fault(
        "truncation|reset",
        "proxy",
        shut("app", 241_000, 1_500),
        hop("proxy", on(upto(240_050, 1_500)), end="truncated", end_ms=240_060.0),
    ),
    "engine-killed-four-hops": fault(
        "reset|truncation|error",
        "engine",
        hop("engine", CUT, end="reset", detail="Connection reset by peer"),
        *ladder(
            [
                *on(CUT),
                (1_400.0, sse({"error": {"message": "peer closed connection", "code": "500"}})),
                (1_401.0, DONE),
            ],
            "gateway",
            "app",
            "proxy",
        ),
    ),
    "half-an-event-then-nothing": fault(
        "truncation", "engine", hop("engine", [*CUT, (1_300.0, EVEN[12][1][:70])], end="truncated")
    ),
    "stale-length-at-the-app": fault(
        "truncation",
        "app",
        hop("gateway", EVEN),
        hop(
            "app",
            on(EVEN[:9]),
            headers=(("content-type", "text/event-stream"), ("content-length", str(sum(len(d) for _, d in EVEN[:9])))),
        ),
    ),
    "length-too-long": warn(
        "truncation|headers",
        "proxy",
        hop("app", EVEN),
        hop(
            "proxy",
            on(EVEN),
            end="truncated",
            headers=(("content-type", "text/event-stream"), ("content-length", "99999")),
        ),
    ),
    "no-last-chunk-after-done": warn("truncation", "app", hop("gateway", EVEN), hop("app", on(EVEN), end="truncated")),
    "browser-says-network-error-after-done": warn(
        "truncation",
        "network-path",
        hop("network-path", EVEN, tap="arrive", end="truncated", detail="browser-cannot-tell"),
    ),
    "keep-alive-race": fault(
        "truncation|reset",
        "gateway",
        silent("gateway", 3.0, "truncated", detail="server closed the connection without a response"),
    ),
    "http-1-0-end-hides-a-reset": fault(
        "reset|truncation",
        "engine",
        hop("engine", CUT, end="reset"),
        hop("proxy", on(CUT), headers=(("content-type", "text/event-stream"), ("connection", "close"))),
    ),
    "done-after-a-cut": fault(
        "reset|truncation", "engine", hop("engine", CUT, end="truncated"), hop("gateway", [*on(CUT), (1_400.0, DONE)])
    ),
    "two-gateways-the-outer-cuts": fault(
        "truncation|reset",
        "gateway-2",
        hop("engine", EVEN),
        hop("gateway-1", on(EVEN)),
        hop("gateway-2", on(CUT, 4), end="complete"),
        hop("app", on(CUT, 6)),
    ),
    "line-over-64-kib": fault(
        "truncation|loss",
        "gateway",
        hop("engine", at([*tale(8, finish=None, done=False), part("x" * 70_000), *tale(3, role=False)])),
        hop("gateway", on(at([*tale(8, finish=None, done=False), part(finish="stop"), DONE]))),
    ),
    "empty-200-over-a-crash": fault(
        "truncation|not-streamed|error", "gateway", refusal("engine", 500, ENGINE_ERROR), hop("gateway", [])
    ),
    "429-passed-on": fault(
        "error|not-streamed",
        "engine",
        refusal("engine", 429, LIMIT, extra=(("retry-after", "20"),)),
        refusal("gateway", 429, LIMIT, 24),
    ),
    "429-hidden-in-an-empty-answer": fault(
        "error|truncation|not-streamed|content",
        "gateway",
        refusal("engine", 429, LIMIT),
        hop("gateway", at([part("", role="assistant"), part(finish="stop"), DONE])),
    ),
    "429-told-as-500": fault(
        "error|not-streamed",
        "engine",
        refusal("engine", 429, LIMIT),
        refusal("gateway", 500, {"error": {"message": "litellm.RateLimitError"}}, 31),
    ),
    "503-while-the-model-loads": fault(
        "error|not-streamed",
        "engine",
        refusal("engine", 503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
    ),
    "413-by-the-proxy": fault(
        "error|not-streamed",
        "proxy",
        refusal("proxy", 413, "<html><head><title>413 Request Entity Too Large</title></head></html>"),
    ),
    "404-model-unknown": fault(
        "error|not-streamed",
        "gateway",
        refusal("gateway", 404, {"object": "error", "message": "The model `x` does not exist.", "code": 404}),
    ),
    "login-page": fault(
        "not-streamed|error",
        "proxy",
        hop("app", EVEN),
        refusal("proxy", 200, "<!doctype html><html><title>Sign in</title></html>"),
    ),
    "json-error-with-200": fault(
        "error|not-streamed",
        "gateway",
        refusal("gateway", 200, {"code": 514, "statusText": "unAuthApiKey", "message": "Key is error", "data": None}),
    ),
    "whole-json-instead-of-a-stream": fault(
        "not-streamed", "gateway", hop("engine", EVEN), refusal("gateway", 200, whole("".join(words(24))), 2_600)
    ),
    "event-stream-type-with-one-json": fault(
        "not-streamed", "engine", hop("engine", [(2_100.0, json.dumps(whole("hello there")).encode())])
    ),
    "claude-overloaded": fault(
        "error",
        "engine",
        hop(
            "engine",
            at(
                [
                    *claude(words(6), reason=None, stop=False),
                    sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error"),
                ]
            ),
        ),
    ),
    "claude-error-laundered": fault(
        "error|truncation",
        "gateway",
        hop(
            "engine",
            at(
                [
                    *claude(words(6), reason=None, stop=False),
                    sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error"),
                ]
            ),
        ),
        hop("gateway", on(at(tale(6)))),
    ),
    "claude-without-message-stop": warn(
        "truncation|malformed",
        "gateway",
        hop("engine", at(claude(words(8)))),
        hop("gateway", on(at(claude(words(8), stop=False)))),
    ),
    "claude-ends-in-the-text": fault(
        "truncation", "engine", hop("engine", at(claude(words(8), reason=None, stop=False)))
    ),
    "response-failed": fault(
        "error",
        "engine",
        hop(
            "engine",
            at(respond(words(5), last={"status": "failed", "error": {"code": "server_error", "message": "boom"}})),
        ),
    ),
    "responses-never-completed": fault(
        "truncation",
        "gateway",
        hop("engine", at(respond(words(9), last={"status": "completed"}))),
        hop("gateway", on(at(respond(words(9))))),
    ),
    "ollama-half-a-line": fault(
        "truncation|malformed",
        "engine",
        hop("engine", [*records(words(9)), (1_200.0, ollama("and")[:30])], headers=NDJSON),
    ),
    "ollama-no-done": fault("truncation", "engine", hop("engine", records(words(9)), headers=NDJSON)),
    "ollama-error-lost-in-translation": fault(
        "error|truncation",
        "gateway",
        hop(
            "engine",
            records(words(7), b'{"error":"an error was encountered while running the model: CUDA error"}\n'),
            headers=NDJSON,
        ),
        hop("gateway", on(at([*tale(7, finish=None, done=False), part("")]))),
    ),
    "vllm-error-then-done": fault(
        "error",
        "engine",
        hop(
            "engine",
            at(
                [
                    *tale(5, finish=None, done=False),
                    sse({"object": "error", "message": "", "type": "InternalServerError", "param": None, "code": 500}),
                    DONE,
                ]
            ),
        ),
    ),
    "vllm-error-dropped-by-one-api": fault(
        "error|truncation",
        "gateway",
        hop("engine", at([*tale(5, finish=None, done=False), sse(ENGINE_ERROR), DONE])),
        hop("gateway", on(at([*tale(5, finish=None, done=False), DONE]))),
    ),
    "llama-bare-error-line": fault(
        "error",
        "engine",
        hop(
            "engine",
            at(
                [
                    *tale(5, finish=None, done=False),
                    b'error: {"code":500,"message":"context shift is disabled","type":"server_error"}\n\n',
                ]
            ),
        ),
    ),
    "finish-network-error": fault("error|truncation", "engine", hop("engine", at(tale(9, finish="network_error")))),
    "error-as-finish-through-app": fault(
        "error|truncation", "engine", *ladder(at(tale(9, finish="error")), "engine", "gateway", "app")
    ),
    "error-told-as-content-type-json-chunk": fault(
        "error",
        "gateway",
        hop("engine", EVEN),
        hop(
            "gateway",
            [*on(CUT), (1_300.0, sse({"error": "upstream_error", "message": "stream interrupted", "status": 502}))],
        ),
    ),
    "detached-gateway-runs-on": fault(
        "not-cancelled",
        "gateway",
        left("engine", at(tale(60)), "complete", 6_000.0),
        left("gateway", on(at(tale(60))[:9]), "aborted", 1_050.0, "closed by app"),
        left("app", on(at(tale(60))[:8], 4), "aborted", 1_000.0, "closed by us"),
    ),
    "stopped-while-waiting-yet-it-answers": fault(
        "not-cancelled",
        "app",
        left("gateway", at(tale(40), start=5_000), "complete", 9_000.0),
        left("app", [], "aborted", 2_500.0, "closed by us"),
    ),
    "our-read-timer-before-any-head": fault(
        "first-byte", "engine", silent("engine", 60_000.0, "timeout", detail="read timeout 60 s")
    ),
    "nobody-there-behind-the-gateway": fault(
        "error|reset|not-streamed",
        "engine",
        silent("engine", 1.0, "reset", detail="connection refused"),
        refusal("gateway", 503, {"error": "upstream connect error"}),
    ),
    "tls-fails-behind-the-app": fault(
        "error|reset|not-streamed",
        "gateway",
        silent("gateway", 30.0, "reset", detail="TLS: certificate verify failed"),
        refusal("app", 502, {"what": "not reached"}),
    ),
    "stops-in-a-tool-call": fault(
        "truncation",
        "engine",
        hop(
            "engine",
            at(
                [
                    part("", role="assistant"),
                    part(tool_calls=[{"index": 0, "id": "c1", "function": {"name": "write", "arguments": ""}}]),
                    *[
                        part(tool_calls=[{"index": 0, "function": {"arguments": a}}])
                        for a in ('{"path": "', "a.py", '", "text": "imp')
                    ],
                ]
            ),
        ),
    ),
    "headers-and-role-then-clean-end": fault(
        "truncation", "gateway", hop("engine", EVEN), hop("gateway", on(EVEN[:1]), headers=SSE)
    ),
}
