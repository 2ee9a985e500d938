"""Doors and their habits: what gateways, edges and frameworks add to a healthy stream, and how they spoil one."""

from __future__ import annotations

from harness.tests.diagnose.build import DONE, NDJSON, SSE, ollama
from harness.tests.diagnose.unseen.between import of, page
from harness.tests.diagnose.unseen.calm import ID, brotlied
from harness.tests.diagnose.unseen.delays import EVEN, LONG, beating, flushed, paused
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
from harness.tests.diagnose.unseen.text import WORDS


def chunk(delta: dict[str, object], finish: str | None = None, **more: object) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return sse(
        {
            "id": ID,
            "object": "chat.completion.chunk",
            "created": 1764500000,
            "model": "demo",
            "choices": [choice],
            **more,
        }
    )


def text_of(texts: list[str]) -> list[bytes]:
    return [
        chunk({"role": "assistant", "content": ""}),
        *[chunk({"content": t}) for t in texts],
        chunk({}, "stop"),
        DONE,
    ]


def spaced_out(data: bytes) -> bytes:
    return data[:-1] + b"\n\n"


def ramp(count: int, first: float, last: float) -> Reads:
    t, out = 300.0, []
    for i, event in enumerate(tale(count, ident=ID)):
        out.append((round(t, 1), event))
        t += first + (last - first) * i / count
    return out


def firstly(reads: Reads, size: int) -> Reads:
    """The first ``size`` bytes."""
    out: Reads = []
    for t, data in reads:
        if size > 0:
            out.append((t + 2, data[:size]))
        size -= len(data)
    return out


def halved(reads: Reads) -> Reads:
    """To the middle of the last character of more than one byte."""
    body = b"".join(data for _, data in reads)
    return firstly(reads, max(i for i, byte in enumerate(body) if byte >= 0xC0) + 1)


THINKS = [chunk({"reasoning_content": w}) for w in words(7)]
THOUGHT = [chunk({"role": "assistant", "content": ""}), *THINKS, *text_of(WORDS)[1:]]

CASES: dict[str, Unseen] = {
    # sound
    "three-line-ends-after-each-event": fine(hop("gateway", [(t, spaced_out(d)) for t, d in EVEN])),
    "line-ends-of-both-kinds": fine(
        hop("app", [(t, d.replace(b"\n", b"\r\n") if i % 2 else d) for i, (t, d) in enumerate(EVEN)])
    ),
    "named-message-events": fine(hop("app", [(t, b"event: message\n" + d) for t, d in EVEN])),
    "ids-of-letters-and-clock-values": fine(
        hop("app", [(t, b"id: 1764500%03d-%x\n" % (i * 7, i) + d) for i, (t, d) in enumerate(EVEN)])
    ),
    "vendor-fields-in-each-chunk": fine(
        *ladder(
            at(
                [
                    chunk(
                        {"content": w},
                        x_groq={"id": "req_1"},
                        provider="Groq",
                        service_tier="default",
                        obfuscation="aZ",
                    )
                    for w in WORDS
                ]
                + [chunk({}, "stop"), DONE]
            ),
            "gateway",
            "app",
        )
    ),
    "keepalive-chunks-without-choices": fine(
        hop(
            "gateway",
            beating(
                at(text_of(WORDS), gap=900),
                20_000,
                5_000,
                sse({"id": ID, "object": "chat.completion.keepalive", "choices": []}),
            ),
        )
    ),
    "slower-and-slower": fine(*ladder(ramp(120, 30, 320), "engine", "proxy")),
    "waits-9-5-s-with-pings": fine(hop("gateway", beating(at(tale(20, ident=ID), start=9_500), 9_000, 3_000))),
    "usage-and-finish-in-one-chunk": fine(
        *ladder(
            at(
                [
                    *text_of(WORDS)[:-2],
                    chunk({}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 24, "total_tokens": 33}),
                    DONE,
                ]
            ),
            "engine",
            "gateway",
        )
    ),
    "edge-adds-its-own-comment-each-15-s": fine(
        hop("app", at(tale(40, ident=ID), gap=1_200)),
        hop("network-path", beating(on(at(tale(40, ident=ID), gap=1_200), 30), 45_000, 15_000, b": edge\n\n")),
    ),
    "polls-each-100-ms": fine(
        hop("engine", at(tale(200, ident=ID), gap=22)),
        hop("app", flushed(at(tale(200, ident=ID), gap=22), range(200, 6_000, 95))),
    ),
    "finish-reason-kept-as-empty-delta-content": fine(
        hop("engine", at([*text_of(WORDS)[:-2], chunk({"content": ""}, "stop"), DONE]))
    ),
    "refusal-field-and-annotations-null": fine(
        hop(
            "engine",
            at(
                [
                    chunk({"role": "assistant", "content": "", "refusal": None}),
                    *[chunk({"content": w, "annotations": None}) for w in WORDS],
                    chunk({}, "stop"),
                    DONE,
                ]
            ),
        )
    ),
    "stop-word-found": fine(
        *ladder(at([*text_of(WORDS)[:-2], chunk({}, "stop", stop_reason="\n\n"), DONE]), "engine", "proxy")
    ),
    "eos-named-as-finish": fine(hop("engine", at([*text_of(WORDS)[:-2], chunk({}, "eos_token"), DONE]))),
    "anthropic-pings-between": fine(
        *ladder(
            at(
                [
                    b
                    for i, e in enumerate(claude(words(20)))
                    for b in ([e, sse({"type": "ping"}, "ping")] if i % 6 == 5 else [e])
                ]
            ),
            "engine",
            "gateway",
            wire="anthropic",
        )
    ),
    "whole-stream-over-8-minutes": fine(*ladder(at(tale(420, ident=ID), gap=1_150), "engine", "proxy")),
    "brotli-through-two-edges": fine(
        hop("proxy", brotlied(EVEN), headers=(*SSE, ("content-encoding", "br"))),
        hop("network-path", on(EVEN, 25), headers=(*SSE, ("content-encoding", "br")), content_decoded=True),
    ),
    "head-of-http-2-in-other-order": fine(
        hop("app", EVEN),
        hop(
            "proxy",
            on(EVEN),
            headers=(
                ("date", "Mon, 30 Nov 2026 12:00:00 GMT"),
                ("content-type", "text/event-stream; charset=UTF-8"),
                ("strict-transport-security", "max-age=63072000"),
                ("cache-control", "no-store, no-transform"),
            ),
        ),
    ),
    "private-cache-control": fine(
        *ladder(
            EVEN,
            "app",
            "proxy",
            headers=(
                ("content-type", "text/event-stream"),
                ("cache-control", "private, no-cache, must-revalidate, max-age=0"),
            ),
        )
    ),
    "first-chunk-holds-role-and-word": fine(
        *ladder(
            at(
                [
                    chunk({"role": "assistant", "content": "The "}),
                    *[chunk({"content": w}) for w in WORDS[1:]],
                    chunk({}, "stop"),
                    DONE,
                ]
            ),
            "engine",
            "app",
        )
    ),
    "gateway-splits-role-from-word": fine(
        hop(
            "engine",
            at(
                [
                    chunk({"role": "assistant", "content": "The "}),
                    *[chunk({"content": w}) for w in WORDS[1:]],
                    chunk({}, "stop"),
                    DONE,
                ]
            ),
        ),
        hop(
            "gateway",
            on(
                at(
                    [
                        chunk({"role": "assistant", "content": ""}) + chunk({"content": "The "}),
                        *[chunk({"content": w}) for w in WORDS[1:]],
                        chunk({}, "stop"),
                        DONE,
                    ]
                ),
                3,
            ),
        ),
    ),
    "user-goes-during-the-thought": fine(
        of("engine", EVEN[:9], "aborted", EVEN[8][0] + 420, "client disconnected"),
        of("proxy", on(EVEN[:9]), "aborted", EVEN[8][0] + 30, "page closed: closed by us"),
    ),
    "last-thought-after-the-first-word": warn(
        "reorder|rewrite",
        "gateway",
        hop("engine", at(THOUGHT)),
        hop("gateway", on(at([*THOUGHT[:7], *THOUGHT[8:11], THOUGHT[7], *THOUGHT[11:]]))),
    ),
    # sick
    "edge-cuts-at-exactly-100-kb": fault(
        "truncation|loss",
        "network-path",
        hop("proxy", at(tale(900, ident=ID), gap=9)),
        hop("network-path", firstly(at(tale(900, ident=ID), gap=9), 102_400), end="truncated"),
    ),
    "framework-sends-each-event-as-text-json": fault(
        "malformed|encoding|rewrite|not-streamed",
        "app",
        hop("gateway", EVEN),
        hop(
            "app",
            [(t + 2, b'"' + d.decode().replace('"', '\\"').replace("\n", "\\n").encode() + b'"') for t, d in EVEN],
        ),
    ),
    "wsgi-server-sends-all-at-the-end": fault(
        "burst|not-streamed",
        "app",
        hop("gateway", LONG),
        hop(
            "app",
            [(LONG[-1][0] + 20, b"".join(d for _, d in LONG))],
            headers=(
                ("content-type", "text/event-stream"),
                ("content-length", str(sum(len(d) for _, d in LONG))),
                ("server", "gunicorn"),
            ),
            head_ms=LONG[-1][0] + 19,
        ),
    ),
    "browser-reconnects-and-is-told-all-again": fault(
        "duplicate",
        "network-path",
        hop("app", EVEN),
        hop("network-path", [*on(EVEN[:14], 20), *on(EVEN, 5_000)], tap="arrive"),
    ),
    "half-a-character-at-the-cut": fault(
        "truncation|encoding",
        "proxy",
        hop("app", at(text_of(list("Über den Dächern der Stadt läuten die Glocken")))),
        hop("proxy", halved(at(text_of(list("Über den Dächern der Stadt läuten die Glocken")))), end="truncated"),
    ),
    "proxy-turns-tabs-and-lines-to-blanks": warn(
        "rewrite",
        "proxy",
        hop("app", at(text_of(["def f():\n", "\treturn 1\n", "\n", "print", "(f())\n"]))),
        hop("proxy", on(at(text_of(["def f():\n", " return 1\n", "\n", "print", "(f())\n"])))),
    ),
    "filter-takes-links-out": fault(
        "loss|rewrite",
        "proxy",
        hop("app", at(text_of(["See ", "https://example.org/a/very/long/path", " and ", "then ", "call ", "us."]))),
        hop("proxy", on(at(text_of(["See ", "", " and ", "then ", "call ", "us."])))),
    ),
    "gateway-waits-for-the-end-of-the-thought-then-all": fault(
        "burst|first-byte|not-streamed",
        "gateway",
        hop("engine", LONG),
        hop("gateway", [(LONG[90][0] + 2, b"".join(d for _, d in LONG[:91])), *on(LONG[91:])]),
    ),
    "refused-at-the-edge-then-fine-in-the-second-repeat": fault(
        "error|not-streamed",
        "proxy",
        *[hop("app", on(EVEN, 3 * i), repeat=i) for i in range(2)],
        refusal("proxy", 502, page("502 Bad Gateway"), 8.0, repeat=0),
        hop("proxy", on(EVEN, 5), repeat=1),
    ),
    "second-chat-s-first-word-in-this-one": fault(
        "interleave|rewrite|content|duplicate",
        "app",
        hop("gateway", EVEN),
        hop("app", on([*EVEN[:9], (EVEN[8][0] + 4, part("Dear Ms Huber, ", ident="cmpl-2")), *EVEN[9:]])),
    ),
    "stalls-in-each-third-word": fault(
        "stall|burst",
        "proxy",
        hop("engine", EVEN),
        hop("proxy", paused(paused(paused(on(EVEN), 6, 3_200), 12, 3_200), 18, 3_200)),
    ),
    "proxy-answers-for-a-dead-app-with-an-old-page": fault(
        "error|not-streamed|reset",
        "app",
        silent("app", 0.6, "reset", detail="connection refused"),
        refusal("proxy", 503, page("Service Temporarily Unavailable"), 3.0),
    ),
    "head-only-and-nothing-for-75-s": fault(
        "first-byte|truncation|reset", "proxy", hop("app", EVEN), hop("proxy", [], end="reset", end_ms=75_004.0)
    ),
    "head-only-and-nothing-recording-stopped": fault(
        "first-byte|burst|stall|not-streamed", "proxy", hop("app", EVEN), hop("proxy", [], end="open", end_ms=40_000.0)
    ),
    "ollama-through-a-line-buffer": fault(
        "burst",
        "proxy",
        hop(
            "engine",
            at([ollama(w) for w in words(90)] + [ollama("", done=True, done_reason="stop")], gap=70),
            headers=NDJSON,
        ),
        hop(
            "proxy",
            sized(at([ollama(w) for w in words(90)] + [ollama("", done=True, done_reason="stop")], gap=70), 2_048),
            headers=NDJSON,
        ),
    ),
    "responses-through-a-buffer": fault(
        "burst",
        "proxy",
        hop("engine", at(respond(words(90), last={"status": "completed"}), gap=70)),
        hop("proxy", sized(at(respond(words(90), last={"status": "completed"}), gap=70), 4_096)),
    ),
    "claude-cut-by-a-total-of-60-s": fault(
        "truncation|reset",
        "proxy",
        hop("engine", at(claude(words(400)), gap=220), wire="anthropic"),
        hop(
            "proxy",
            [row for row in on(at(claude(words(400)), gap=220)) if row[0] < 60_000],
            wire="anthropic",
            end="truncated",
            end_ms=60_003.0,
        ),
    ),
}
