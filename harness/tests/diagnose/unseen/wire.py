"""Events that the format, the dialect or HTTP does not allow."""

from __future__ import annotations

import json
from dataclasses import replace

from harness.capture.model import Request
from harness.tests.diagnose.build import usage
from harness.tests.diagnose.unseen.kit import (
    DONE,
    Reads,
    Unseen,
    at,
    fault,
    hop,
    ladder,
    on,
    part,
    sse,
    tale,
    warn,
    words,
)

EVENTS = tale(20)
EVEN = at(EVENTS)
TYPE = ("content-type", "text/event-stream")


def bad(change, only: int | None = None, **more) -> tuple:  # type: ignore[no-untyped-def,type-arg]
    """Engine and a gateway that changes every event but [DONE], or the one that is named."""
    reads = [(t, change(d) if d != DONE and only in (None, i) else d) for i, (t, d) in enumerate(EVEN)]
    return hop("engine", EVEN), hop("gateway", on(reads), **more)


def added(event: bytes, after: int = 8) -> tuple:  # type: ignore[type-arg]
    reads = [*EVEN[: after + 1], (EVEN[after][0] + 3, event), *EVEN[after + 1 :]]
    return hop("engine", EVEN), hop("gateway", on(sorted(reads)))


def headed(*headers: tuple[str, str], **more: str) -> tuple:  # type: ignore[type-arg]
    return hop("gateway", EVEN), hop("app", on(EVEN), headers=headers, **more)


def joined(reads: Reads) -> Reads:
    """Every second blank line is missing."""
    return [(t, d[:-1] if i % 2 and d != DONE else d) for i, (t, d) in enumerate(reads)]


CASES: dict[str, Unseen] = {
    "json-in-a-json-string": fault(
        "malformed|loss|content|truncation",
        "gateway",
        *bad(lambda d: b"data: " + json.dumps(d[6:-2].decode()).encode() + b"\n\n"),
    ),
    "wrapped-twice": fault("malformed|loss", "gateway", *bad(lambda d: b"data: " + d)),
    "python-repr": fault(
        "malformed|loss", "gateway", *bad(lambda d: b"data: " + repr(json.loads(d[6:-2])).encode() + b"\n\n")
    ),
    "bytes-repr": fault("malformed|loss", "gateway", *bad(lambda d: b"data: b'" + d[6:-2] + b"'\n\n")),
    "blank-line-missing": fault("malformed|loss", "gateway", hop("engine", EVEN), hop("gateway", on(joined(EVEN)))),
    "bare-line-with-content": fault("loss|malformed", "gateway", *bad(lambda d: d[6:], 7)),
    "bare-line-with-the-finish": warn("malformed|truncation", "gateway", *bad(lambda d: d[6:], len(EVENTS) - 2)),
    "byte-order-mark-before-each": fault(
        "malformed|loss|truncation|encoding", "gateway", *bad(lambda d: b"\xef\xbb\xbf" + d)
    ),
    "literal-backslash-n": fault(
        "malformed|loss|not-streamed|truncation", "gateway", *bad(lambda d: d.replace(b"\n\n", b"\\n\\n"))
    ),
    "cut-json-then-goes-on": fault("malformed|loss", "gateway", *bad(lambda d: d[:80] + b"\n\n", 6)),
    "trailing-comma": fault(
        "malformed|loss",
        "engine",
        hop("engine", [(t, d.replace(b"}]}", b"},]}") if i == 5 else d) for i, (t, d) in enumerate(EVEN)]),
    ),
    "log-line-in-the-stream": warn("malformed", "gateway", *added(b"INFO 127.0.0.1 - POST /v1/chat 200 OK\n\n")),
    "warning-object": warn("malformed", "gateway", *added(sse({"warning": "provider_did_not_report_usage_on_stream"}))),
    "ping-as-data": warn("malformed|rewrite", "gateway", *added(b"data: ping\n\n")),
    "null-event": warn("malformed|rewrite", "gateway", *added(b"data: null\n\n")),
    "choices-null": warn(
        "malformed",
        "gateway",
        *added(sse({"id": "cmpl-1", "object": "chat.completion.chunk", "choices": [{"index": 0}]})),
    ),
    "done-in-lower-case": warn(
        "malformed|truncation",
        "gateway",
        *[
            hop(n, [(t, b"data: [done]\n\n") if d == DONE and n == "gateway" else (t, d) for t, d in EVEN])
            for n in ("engine", "gateway")
        ],
    ),
    "no-done": warn("truncation", "gateway", hop("engine", EVEN), hop("gateway", on(EVEN[:-1]))),
    "no-finish": warn(
        "malformed|truncation|rewrite", "gateway", hop("engine", EVEN), hop("gateway", on([*EVEN[:-2], EVEN[-1]]))
    ),
    "text-after-done": fault(
        "malformed|reorder",
        "gateway",
        hop("engine", EVEN),
        hop("gateway", on([*EVEN[:12], (EVEN[12][0] - 5, DONE), *EVEN[12:-1]])),
    ),
    "finish-on-every-chunk": warn(
        "malformed|rewrite", "gateway", *bad(lambda d: d.replace(b'"finish_reason":null', b'"finish_reason":"stop"'))
    ),
    "new-id-for-each-chunk": warn(
        "malformed",
        "engine",
        hop(
            "engine",
            at(
                [part(w, ident=f"cmpl-{i:016x}") for i, w in enumerate(words(12))]
                + [part(finish="stop", ident="cmpl-f"), DONE]
            ),
        ),
    ),
    "nan-in-logprobs": fault(
        "malformed",
        "engine",
        hop("engine", [(t, d.replace(b'"finish_reason"', b'"logprobs":{"x":NaN},"finish_reason"')) for t, d in EVEN]),
    ),
    "two-dones-two-apps": warn(
        "duplicate|malformed",
        "app",
        hop("gateway", EVEN),
        hop("app", on([*EVEN, (EVEN[-1][0] + 1, DONE)])),
        hop("proxy", on([*EVEN, (EVEN[-1][0] + 1, DONE)], 5)),
    ),
    "last-event-without-blank-line": fault(
        "malformed|loss|truncation",
        "app",
        hop("gateway", at([*tale(9, finish=None, done=False), part("end.", finish="stop")])),
        hop("app", at([*tale(9, finish=None, done=False), part("end.", finish="stop")[:-1]])),
    ),
    "stream-as-text-plain": warn("headers", "app", *headed(("content-type", "text/plain; charset=utf-8"))),
    "stream-as-json": warn("headers", "app", *headed(("content-type", "application/json"))),
    "charset-latin-1": warn("headers", "app", *headed(("content-type", "text/event-stream; charset=ISO-8859-1"))),
    "may-be-cached": warn("headers", "app", *headed(TYPE, ("cache-control", "public, max-age=600"))),
    "http-2-with-chunked": warn(
        "headers",
        "app",
        hop("gateway", EVEN),
        *[replace(c, head=replace(c.head, http="2")) for c in [hop("app", on(EVEN))] if c.head],
    ),
    "says-gzip-is-plain": fault("headers|encoding", "app", *headed(TYPE, ("content-encoding", "gzip"))),
    "usage-asked-for-and-dropped": warn(
        "content|loss",
        "gateway",
        *[
            hop(
                n,
                at([*EVENTS[:-1], *([usage(21)] if n == "engine" else []), DONE]),
                request={"model": "m", "stream": True, "stream_options": {"include_usage": True}, "messages": []},
            )
            for n in ("engine", "gateway")
        ],
    ),
    "chat-chunks-on-the-responses-path": warn(
        "malformed|content|rewrite",
        "gateway",
        hop("gateway", EVEN, asked=Request("POST", "http://gw.example/v1/responses", (), {"stream": True})),
    ),
    "five-hops-malformed-at-the-third": fault(
        "malformed|loss",
        "gateway-2",
        *ladder(EVEN, "engine", "gateway-1"),
        *ladder(
            on([(t, b"data: " + d if i == 5 else d) for i, (t, d) in enumerate(EVEN)], 7), "gateway-2", "app", "proxy"
        ),
    ),
}
