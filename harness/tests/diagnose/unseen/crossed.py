"""Several things at once: two faults on one route, faults across dialects, coarse stamps, readers at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.tests.diagnose.build import DONE, NDJSON, SSE, ollama
from harness.tests.diagnose.unseen.between import flushed_to, of, page
from harness.tests.diagnose.unseen.calm import ID
from harness.tests.diagnose.unseen.delays import EVEN, LONG, beating, flushed, frozen, paused, taps
from harness.tests.diagnose.unseen.kit import (
    Reads,
    Unseen,
    at,
    call,
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
    words,
)  # fmt: skip


def spoken(texts: Sequence[str], start: float = 180.0, gap: float = 90.0) -> Reads:
    return at([part("", role="assistant"), *[part(text) for text in texts], part(finish="stop"), DONE], start, gap)


TEXT = words(60)
TOLD = spoken(TEXT, gap=80)
KEPT = at([ollama(w) for w in TEXT] + [ollama("", done=True, done_reason="stop", eval_count=60)], gap=80)
THINKS = [part(reasoning_content=w) for w in words(40)]
SAYS = [part(w) for w in words(20)]
WHOLE = at([part("", role="assistant"), *THINKS, *SAYS, part(finish="stop"), DONE], gap=110)
MID = EVEN[12][0]


def without(reads: Reads, *indices: int) -> Reads:
    return [row for i, row in enumerate(reads) if i not in indices]


def held_thought(reads: Reads) -> Reads:
    """All the thinking in one event when it is over, the words as they come."""
    over = reads[40][0] + 5
    return [reads[0], (over, part(reasoning_content="".join(words(40)))), *on(reads[41:], 6)]


CASES: dict[str, Unseen] = {
    "engine-cut-and-proxy-clumps": fault(
        "reset|truncation",
        "engine",
        hop("engine", LONG[:90], end="reset", end_ms=LONG[89][0] + 4),
        hop("proxy", sized(LONG[:90], 4096)[:-1], end="truncated", end_ms=LONG[89][0] + 6),
    ),
    "engine-stalls-and-proxy-clumps": fault(
        "stall", "engine", hop("engine", paused(LONG, 60, 6_000)), hop("proxy", sized(paused(LONG, 60, 6_000), 4096))
    ),
    "gateway-loses-and-proxy-cuts": fault(
        "loss",
        "gateway",
        hop("engine", EVEN),
        hop("gateway", on(without(EVEN, 7))),
        hop("proxy", on(without(EVEN, 7)[:15], 4), end="truncated"),
    ),
    "gateway-squeezes-lines-and-proxy-clumps": fault(
        "burst",
        "proxy",
        hop(
            "engine",
            spoken([*words(30), "\n\n\n", *words(30)]),
        ),
        hop(
            "gateway",
            on(spoken([*words(30), "\n\n", *words(30)])),
        ),
        hop(
            "proxy",
            sized(
                on(
                    spoken([*words(30), "\n\n", *words(30)]),
                    3,
                ),
                4096,
            ),
        ),
    ),
    "engine-silent-10-s-and-the-user-stops": fault(
        "stall",
        "engine",
        of("engine", EVEN[:12], "aborted", MID + 10_000, "closed by the hop in front"),
        of("app", on(EVEN[:12]), "aborted", MID + 10_003, "stopped by the user: closed by us"),
    ),
    "app-gives-up-after-3-s-and-says-so": fault(
        "error|truncation",
        "app",
        of("engine", EVEN[:12], "aborted", MID + 1_900, "closed by the hop in front"),
        of(
            "app",
            [*on(EVEN[:12]), (MID + 1_904, sse({"error": {"message": "Read timed out.", "type": "timeout"}}))],
            "complete",
            MID + 1_905,
        ),
    ),
    "thinking-held-words-pass": fault(
        "burst|first-byte", "gateway", hop("engine", WHOLE), hop("gateway", held_thought(WHOLE))
    ),
    "translated-to-claude-in-clumps": fault(
        "burst",
        "gateway",
        hop("engine", TOLD),
        hop("gateway", flushed(at(claude(TEXT), gap=77), range(1_200, 9_000, 1_200)), wire="anthropic"),
    ),
    "translated-to-responses-all-at-the-end": fault(
        "burst|not-streamed|first-byte",
        "gateway",
        hop("engine", TOLD),
        hop("gateway", [(TOLD[-1][0] + 9, b"".join(respond(TEXT, last={"status": "completed"})))], wire="responses"),
    ),
    "ollama-to-chat-and-cut": fault(
        "truncation|loss", "gateway", hop("engine", KEPT, headers=NDJSON), hop("gateway", on(TOLD[:33]), end="complete")
    ),
    "ollama-cut-and-told-as-whole": fault(
        "truncation|reset",
        "engine",
        hop("engine", KEPT[:33], headers=NDJSON, end="truncated"),
        hop("gateway", [*on(TOLD[:34]), (KEPT[32][0] + 5, part(finish="stop") + DONE)]),
    ),
    "claude-cut-and-told-as-whole": fault(
        "truncation|reset",
        "engine",
        hop("engine", at(claude(TEXT))[:30], wire="anthropic", end="reset"),
        hop(
            "gateway",
            [
                *on(at([part("", role="assistant"), *[part(w) for w in TEXT[:27]]], start=450)),
                (3_400.0, part(finish="stop") + DONE),
            ],
        ),
    ),
    "another-sample-and-cut": fault(
        "truncation",
        "proxy",
        hop("engine", EVEN, exchange="p1"),
        hop(
            "proxy",
            at(
                [
                    part("", role="assistant", ident="chatcmpl-0af2"),
                    *[part(w, ident="chatcmpl-0af2") for w in reversed(words(19))],
                ]
            ),
            exchange="p2",
            end="truncated",
        ),
    ),
    "reader-too-slow-for-us": fault(
        "truncation|reset|stall",
        "network-path",
        of("app", LONG, "aborted", LONG[-1][0] + 900, "slow-reader", tap="write"),
        of("network-path", on(LONG[:50], 2_000), "truncated", LONG[-1][0] + 930, "browser-cannot-tell", tap="arrive"),
    ),
    "large-packets-do-not-arrive": fault(
        "stall|truncation|burst|loss",
        "network-path",
        hop("proxy", [*EVEN[:10], (EVEN[9][0] + 90, part("x" * 2_400)), *EVEN[10:]]),
        hop(
            "network-path",
            on(EVEN[:10], 20),
            end="open",
            end_ms=45_000.0,
            detail="recording stopped, connection still open",
        ),
    ),
    "library-decodes-each-read-alone": fault(
        "encoding|rewrite|loss",
        "client",
        hop(
            "gateway",
            spoken(["Grüße", "aus", "der", "Höhe", "über", "dem", "Fluß"]),
        ),
        hop(
            "client",
            spoken(["Gr��e", "aus", "der", "H��he", "über", "dem", "Fluß"]),
        ),
    ),
    "library-drops-words-at-read-ends": fault(
        "loss", "client", hop("gateway", TOLD), hop("client", on(without(TOLD, 9, 23, 41)))
    ),
    "proxy-clumps-and-user-stops": fault(
        "burst",
        "proxy",
        of("app", LONG[:100], "aborted", 6_200.0, "client disconnected"),
        of("proxy", sized(LONG[:96], 4096)[:-1], "aborted", 6_190.0, "stopped by the user: closed by us"),
    ),
    "gateway-tries-the-second-engine": fine(
        hop("engine", EVEN),
        hop("gateway", on(EVEN, 180), headers=(*SSE, ("x-retry-count", "1"), ("x-upstream", "engine-b"))),
    ),
    "gateway-first-late-then-as-sent": fault(
        "first-byte",
        "gateway",
        hop("engine", TOLD),
        hop("gateway", flushed_to([(max(t, 2_600.0), d) for t, d in on(TOLD)])),
    ),
    "gateway-slow-from-start-to-end": fault(
        "first-byte|stall|burst", "gateway", hop("engine", TOLD), hop("gateway", on(TOLD, 2_000))
    ),
    "app-sends-head-late-body-in-time": fine(hop("gateway", TOLD), hop("app", on(TOLD, 3), head_ms=TOLD[0][0] + 2)),
    "freeze-of-3-s-at-the-app-of-four": fault(
        "stall|burst",
        "app",
        hop("engine", TOLD),
        hop("gateway", on(TOLD)),
        hop("app", frozen(on(TOLD, 4), 1_500, 3_000)),
        hop("proxy", on(frozen(on(TOLD, 4), 1_500, 3_000), 3)),
    ),
    "two-clumping-hops": fault(
        "burst",
        "app",
        hop("gateway", LONG),
        hop("app", flushed(LONG, range(900, 9_900, 900))),
        hop("proxy", flushed(flushed(LONG, range(900, 9_900, 900)), range(2_000, 12_000, 2_000))),
    ),
    "clumps-undone-by-the-next-hop": fault(
        "burst",
        "gateway",
        hop("engine", LONG),
        hop("gateway", flushed(LONG, range(900, 9_900, 900))),
        hop("app", on(LONG, 1_000)),
    ),
    "relay-cut-above-told-below": fault(
        "truncation|reset",
        "gateway",
        *[
            replace(c, end=replace(c.end, kind="truncated") if c.end else None)
            for c in taps(EVEN[:11], on(EVEN[:11]), on(EVEN[:11], 9))
        ],
    ),
    "page-then-stream": fault(
        "error|malformed|not-streamed",
        "proxy",
        hop("app", EVEN),
        hop("proxy", [(12.0, page("502 Bad Gateway").encode()), *on(EVEN)]),
    ),
    "tool-run-of-9-s-then-cut-by-the-proxy": fault(
        "truncation|reset|stall",
        "proxy",
        hop("app", paused(EVEN, 10, 9_000)),
        hop("proxy", on(EVEN[:10]), end="reset", end_ms=EVEN[9][0] + 5_001),
    ),
    "call-and-words-in-turn-with-a-pause-between": fine(
        *ladder(
            at(
                [
                    part("", role="assistant"),
                    *[part(w) for w in words(9)],
                    call(0, "", name="find", ident="call_3"),
                    *[call(0, p) for p in ('{"q":', '"ferry"', "}")],
                    part(finish="tool_calls"),
                    DONE,
                ],
                gap=140,
            ),
            "engine",
            "gateway",
            "proxy",
        )
    ),
    "answer-in-html-code-is-no-page": fine(
        *ladder(
            at(
                [
                    part("", role="assistant"),
                    *[
                        part(w)
                        for w in ("<!DOCTYPE html>\n", "<html>\n", "<body>\n", "data: {\n", "</body>\n", "</html>")
                    ],
                    part(finish="stop"),
                    DONE,
                ]
            ),
            "engine",
            "proxy",
        )
    ),
    "answer-speaks-of-errors": fine(
        *ladder(
            at(
                [
                    part("", role="assistant"),
                    *[
                        part(w)
                        for w in (
                            '{"error"',
                            ': {"message"',
                            ': "rate limit"',
                            ', "code": 429}}',
                            " is what ",
                            "you would see.",
                        )
                    ],
                    part(finish="stop"),
                    DONE,
                ]
            ),
            "gateway",
            "app",
        )
    ),
    "answer-counts-with-a-jump": fine(
        *ladder(
            at(
                [
                    part("", role="assistant"),
                    *[part(f"{n} ") for n in (1, 2, 3, 5, 8, 13, 21, 34, 55)],
                    part(finish="stop"),
                    DONE,
                ]
            ),
            "engine",
            "proxy",
        )
    ),
    "beats-that-bear-an-id-of-their-own": fine(
        hop("gateway", beating(at(tale(30, ident=ID), gap=700), 21_000, 5_000, part("", ident="chatcmpl-keepalive")))
    ),
    "usage-under-another-id-each-time": fine(
        *ladder(
            [row for t, d in EVEN[:-2] for row in ((t, d), (t + 1, part(ident="meter-1", usage={})))] + EVEN[-2:],
            "gateway",
            "app",
        )
    ),
    "nobody-below-page-in-front": fault(
        "error|not-streamed|reset",
        "engine",
        silent("engine", 0.4, "reset", detail="connection refused"),
        refusal("gateway", 502, {"error": {"message": "connect ECONNREFUSED", "type": "bad_gateway"}}, 3.0),
        refusal("proxy", 502, page("502 Bad Gateway"), 5.0),
    ),
    "password-page-before-a-good-engine": fault(
        "error|not-streamed",
        "proxy",
        hop("engine", EVEN),
        refusal("proxy", 401, page("401 Authorization Required"), 15.0),
    ),
    "refusal-turned-into-a-login-page": fault(
        "error|not-streamed",
        "proxy",
        refusal("engine", 401, {"error": {"message": "Incorrect API key"}}, 9.0),
        refusal("gateway", 401, {"error": {"message": "Incorrect API key"}}, 12.0),
        refusal("proxy", 200, page("Sign in"), 15.0),
    ),
}
