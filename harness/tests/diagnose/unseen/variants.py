"""What vendors and coders allow themselves: codings without an end, free-form calls, reasons, old endpoints."""

from __future__ import annotations

import zlib
from typing import Any

from harness.capture.model import Request
from harness.tests.diagnose.build import DONE
from harness.tests.diagnose.unseen.calm import ID
from harness.tests.diagnose.unseen.delays import EVEN
from harness.tests.diagnose.unseen.doors import chunk, text_of
from harness.tests.diagnose.unseen.edges import coded, gz
from harness.tests.diagnose.unseen.kit import (
    Reads,
    Unseen,
    at,
    claude,
    fault,
    fine,
    hop,
    ladder,
    on,
    sse,
    warn,
    words,
)  # fmt: skip

WORDS = words(20)


def pieces(text: str, size: int = 5) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def squeezed(reads: Reads, wbits: int, *, end: bool = True) -> Reads:
    """Deflate with a flush after each read: gzip (31), zlib (15) or raw (-15); ``end``: closed as it should be."""
    coder = zlib.compressobj(wbits=wbits)
    out = [(t, coder.compress(data) + coder.flush(zlib.Z_SYNC_FLUSH)) for t, data in reads]
    return [*out, (reads[-1][0] + 1, coder.flush())] if end else out


def custom(part: str, **more: Any) -> bytes:
    return chunk(
        {"tool_calls": [{"index": 0, **more, "custom": {"input": part} | ({"name": "shell"} if more else {})}]}
    )


def legacy(part: str, **more: Any) -> bytes:
    return chunk({"function_call": {"arguments": part} | more})


def ended(reason: str) -> list[bytes]:
    return [*text_of(WORDS)[:-2], chunk({}, reason), DONE]


def plain(text: str, finish: str | None = None) -> bytes:
    choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": finish}
    return sse(
        {"id": "cmpl-77ab", "object": "text_completion", "created": 1764500000, "model": "demo", "choices": [choice]}
    )


SHELL = "ls -l /srv | sort -k5\n# biggest last {\n"
ASKED = Request("POST", "http://engine.example/v1/completions", (), {"model": "demo", "stream": True, "prompt": "Once"})
PARTS = [[{"type": "thinking", "thinking": [{"type": "text", "text": w}]}] for w in WORDS]
NOW = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "now", "arguments": ""}}
NO_ARGUMENTS = [
    chunk({"role": "assistant", "content": None, "tool_calls": [NOW]}),
    chunk({}, "tool_calls"),
    DONE,
]

CASES: dict[str, Unseen] = {
    "gzip-that-is-never-closed": warn(
        "encoding|headers|truncation",
        "proxy",
        hop("app", EVEN),
        hop("proxy", on(squeezed(EVEN, 31, end=False)), headers=coded("gzip")),
    ),
    "deflate-without-its-wrapping": fine(
        hop("app", EVEN), hop("proxy", on(squeezed(EVEN, -15)), headers=coded("deflate"))
    ),
    "x-gzip": fine(hop("app", EVEN), hop("proxy", on(gz(EVEN)), headers=coded("x-gzip"))),
    "coding-in-capitals": fine(hop("app", EVEN), hop("proxy", on(gz(EVEN)), headers=coded("GZIP"))),
    "gzip-cut-in-the-middle-said-complete": fault(
        "encoding|truncation|loss", "proxy", hop("app", EVEN), hop("proxy", on(gz(EVEN)[:12]), headers=coded("gzip"))
    ),
    "free-form-call": fine(
        *ladder(
            at(
                [
                    chunk({"role": "assistant", "content": None}),
                    custom("", id="call_1", type="custom"),
                    *[custom(p) for p in pieces(SHELL)],
                    chunk({}, "tool_calls"),
                    DONE,
                ]
            ),
            "engine",
            "gateway",
        )
    ),
    "function-call-of-old": fine(
        *ladder(
            at(
                [
                    chunk({"role": "assistant", "content": None}),
                    legacy("", name="now"),
                    *[legacy(p) for p in pieces('{"zone": "Europe/Vienna"}')],
                    chunk({}, "function_call"),
                    DONE,
                ]
            ),
            "engine",
            "gateway",
        )
    ),
    "call-without-arguments": fine(*ladder(at(NO_ARGUMENTS), "engine", "gateway")),
    "reason-in-capitals": fine(*ladder(at(ended("STOP")), "engine", "gateway")),
    "reason-max-tokens-in-capitals": fine(hop("engine", at(ended("MAX_TOKENS")))),
    "reason-end-turn": fine(hop("gateway", at(ended("end_turn")))),
    "reason-eos": fine(hop("engine", at(ended("eos")))),
    "reason-of-a-stop-sequence": fine(hop("engine", at(ended("stop_sequence")))),
    "completions-of-old": fine(
        hop("engine", at([plain(w) for w in WORDS] + [plain("", "stop"), DONE]), asked=ASKED),
        hop("proxy", on(at([plain(w) for w in WORDS] + [plain("", "stop"), DONE])), asked=ASKED),
    ),
    "completions-of-old-cut": fault(
        "truncation",
        "proxy",
        hop("engine", at([plain(w) for w in WORDS] + [plain("", "stop"), DONE]), asked=ASKED),
        hop("proxy", on(at([plain(w) for w in WORDS])[:11]), asked=ASKED, end="truncated"),
    ),
    "thinking-in-parts": fine(
        hop(
            "engine",
            at(
                [
                    chunk({"role": "assistant", "content": ""}),
                    *[chunk({"content": p}) for p in PARTS],
                    *[chunk({"content": w}) for w in WORDS],
                    chunk({}, "stop"),
                    DONE,
                ]
            ),
        )
    ),
    "error-null-in-each-chunk": fine(
        hop("gateway", at([chunk({"content": w}, error=None) for w in WORDS] + [chunk({}, "stop", error=None), DONE]))
    ),
    "error-empty-in-each-chunk": fine(
        hop(
            "gateway",
            at(
                [chunk({"content": w}, error="", code=0, msg="ok") for w in WORDS] + [chunk({}, "stop", error={}), DONE]
            ),
        )
    ),
    "status-fields-of-a-wrapper": fine(
        hop(
            "gateway",
            at(
                [chunk({"content": w}, code=200, message="success", success=True) for w in WORDS]
                + [chunk({}, "stop", code=200, message="success"), DONE]
            ),
        )
    ),
    "claude-with-a-search-error-inside": fine(
        hop(
            "engine",
            at(
                [
                    *claude(words(6), reason=None, stop=False),
                    sse({"type": "content_block_stop", "index": 0}, "content_block_stop"),
                    sse(
                        {
                            "type": "content_block_start",
                            "index": 1,
                            "content_block": {
                                "type": "server_tool_use",
                                "id": "srv_1",
                                "name": "web_search",
                                "input": {},
                            },
                        },
                        "content_block_start",
                    ),
                    sse({"type": "content_block_stop", "index": 1}, "content_block_stop"),
                    sse(
                        {
                            "type": "content_block_start",
                            "index": 2,
                            "content_block": {
                                "type": "web_search_tool_result",
                                "tool_use_id": "srv_1",
                                "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
                            },
                        },
                        "content_block_start",
                    ),
                    sse({"type": "content_block_stop", "index": 2}, "content_block_stop"),
                    sse(
                        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 30}},
                        "message_delta",
                    ),
                    sse({"type": "message_stop"}, "message_stop"),
                ]
            ),
            wire="anthropic",
        )
    ),
    "claude-pauses-its-turn": fine(hop("engine", at(claude(words(12), reason="pause_turn")), wire="anthropic")),
    "two-finishes-alike-side-by-side": warn(
        "malformed|duplicate|rewrite",
        "gateway",
        hop("engine", EVEN),
        hop("gateway", on([*EVEN[:-1], (EVEN[-2][0] + 1, EVEN[-2][1]), EVEN[-1]])),
    ),
    "comment-lines-of-4-kb-before-each-event": fine(
        *ladder([(t, b":" + b" " * 4096 + b"\n\n" + d) for t, d in EVEN], "app", "proxy")
    ),
    "head-with-the-old-name-of-the-type": warn(
        "headers|not-streamed",
        "app",
        hop(
            "app", EVEN, headers=(("content-type", "application/x-dom-event-stream"), ("transfer-encoding", "chunked"))
        ),
    ),
    "usage-counts-cached-and-reasoning": fine(
        *ladder(
            at(
                [
                    *ended("stop")[:-1],
                    sse(
                        {
                            "id": ID,
                            "object": "chat.completion.chunk",
                            "created": 1,
                            "model": "demo",
                            "choices": [],
                            "usage": {
                                "prompt_tokens": 9000,
                                "completion_tokens": 20,
                                "total_tokens": 9020,
                                "prompt_tokens_details": {"cached_tokens": 8960},
                                "completion_tokens_details": {"reasoning_tokens": 0},
                            },
                        }
                    ),
                    DONE,
                ]
            ),
            "engine",
            "gateway",
        )
    ),
    "prefill-progress-events": fine(
        hop(
            "engine",
            [
                *[
                    (
                        400.0 * i,
                        sse(
                            {
                                "id": ID,
                                "object": "chat.completion.chunk",
                                "created": 1,
                                "model": "demo",
                                "choices": [
                                    {"index": 0, "delta": {"role": "assistant", "content": None}, "finish_reason": None}
                                ],
                                "prompt_progress": {"total": 8000, "cache": 0, "processed": 512 * i},
                            }
                        ),
                    )
                    for i in range(1, 15)
                ],
                *at(text_of(WORDS)[1:], start=6_200),
            ],
        )
    ),
}
