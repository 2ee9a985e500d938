"""Whole and in time, however odd: gaps near the limits, clumps that are handed on, rewritten fields, late stops."""

from __future__ import annotations

import json
from dataclasses import replace

from harness.capture.model import Clock
from harness.tests.diagnose.build import ollama
from harness.tests.diagnose.unseen.damage import CLAUDE_CALL
from harness.tests.diagnose.unseen.delays import paused
from harness.tests.diagnose.unseen.kit import (
    DONE,
    END,
    RESPONSE,
    START,
    Unseen,
    at,
    claude,
    fine,
    flushed,
    hop,
    ladder,
    on,
    part,
    refusal,
    tale,
    whole,
    words,
)  # fmt: skip

EVEN = at(tale(30))
WIDE = part("word " * 60_000)
CLAUDE_WHOLE = [*CLAUDE_CALL[:-2], CLAUDE_CALL[2].replace(b": [1, ", b"2]}"), *CLAUDE_CALL[-2:]]
SKEW = Clock("other", "monotonic", 0.001, -4_000.0, 30.0)

CASES: dict[str, Unseen] = {
    "odd-ids-and-retries": fine(hop("gateway", [(t, b"retry: soon\nid: a\x00b\n" + d) for t, d in EVEN])),
    "one-event-of-300-kb": fine(
        *ladder(
            [(200 + k / 4_096, WIDE[k : k + 16_384]) for k in range(0, len(WIDE), 16_384)] + [(600.0, b"".join(END))],
            "engine",
            "proxy",
        )
    ),
    "claude-tool-use": fine(hop("engine", at([*claude(words(3), reason=None, stop=False), *CLAUDE_WHOLE]))),
    "a-third-at-once": fine(hop("engine", [*flushed(EVEN[:9], [1_100.0]), *on(EVEN[9:], 200)])),
    "engine-clumps-and-proxy-hands-on": fine(
        *ladder(flushed(at(tale(60), gap=40), range(400, 4_000, 400)), "engine", "gateway", "proxy")
    ),
    "page-paints-each-50-ms": fine(
        hop("network-path", EVEN, tap="arrive", exchange="x"),
        hop("browser", flushed(EVEN, range(50, 5_000, 50)), tap="paint", exchange="x"),
    ),
    "stopped-as-it-ended-anyway": fine(
        hop("engine", EVEN, exchange="s", sent_at="2026-02-01T10:00:00Z"),
        hop("app", on(EVEN[:-3]), end="aborted", end_ms=EVEN[-3][0], exchange="s", sent_at="2026-02-01T10:00:00Z"),
    ),
    "ollama-lines-over-sse": fine(
        hop(
            "gateway",
            at(
                [b"data: " + ollama(w) + b"\n" for w in words(9)]
                + [b"data: " + ollama(done=True, done_reason="stop") + b"\n"]
            ),
        )
    ),
    "healthy-with-a-gateway-that-was-not-asked": fine(
        hop("engine", EVEN, exchange="a"), hop("proxy", on(EVEN), exchange="a", kind="proxy")
    ),
    "gap-of-1-9-s": fine(hop("engine", paused(EVEN, 9, 1_800))),
    "gap-of-2-4-s-at-slow-pace": fine(*ladder(paused(at(tale(30), gap=120), 9, 2_300), "engine", "app")),
    "first-byte-half-a-second-later": fine(
        hop("engine", at(tale(20), start=3_000)), hop("gateway", at(tale(20), start=3_700))
    ),
    "clocks-that-differ": fine(
        hop(
            "engine",
            EVEN,
            exchange="x",
            clock=Clock("a", "monotonic", 0.001, 0.0, 5.0),
            sent_at="2026-02-01T10:00:00.100Z",
        ),
        hop("app", on(EVEN, 30), exchange="x", clock=SKEW, sent_at="2026-02-01T10:00:04.070Z"),
    ),
    "shared-bytes-in-time": fine(
        hop("app", EVEN, tap="write", exchange="x"),
        replace(hop("network-path", on(EVEN, 12), tap="arrive", exchange="x"), body=None),
    ),
    "cached-in-12-ms": fine(hop("gateway", at(tale(30), start=8, gap=0.2), head_ms=6)),
    "emitted-and-read": fine(hop("engine", EVEN, tap="emit", exchange="x"), hop("gateway", on(EVEN), exchange="x")),
    "responses-without-event-lines": fine(hop("engine", [(t, d[d.index(b"data:") :]) for t, d in RESPONSE])),
    "rewritten-fields-and-merged-usage": fine(
        hop("engine", EVEN),
        hop(
            "gateway",
            on(
                [
                    (
                        t,
                        d
                        if d == DONE
                        else b"data: "
                        + json.dumps({"provider": "x", **json.loads(d[6:]), "created": 1700000000 + i}).encode()
                        + b"\n\n",
                    )
                    for i, (t, d) in enumerate(EVEN)
                ]
            ),
        ),
    ),
    "json-refused-politely-when-asked-whole": fine(
        refusal(
            "engine",
            200,
            whole("I cannot help with that."),
            900,
            request={"model": "m", "stream": False, "messages": []},
        )
    ),
    "stopped-and-the-proxy-closed-late": fine(
        hop("engine", EVEN[:14], end="aborted", end_ms=1_500.0, exchange="s", sent_at="2026-02-01T10:00:00Z"),
        hop("app", on(EVEN[:12]), end="aborted", end_ms=1_250.0, exchange="s", sent_at="2026-02-01T10:00:00Z"),
    ),
    "obfuscated-with-empty-choices-as-beats": fine(
        hop("engine", [(t, d.replace(b'"model"', b'"obfuscation":"Xy3","model"')) for t, d in EVEN])
    ),
    "full-text-beside-each-delta": fine(
        hop(
            "engine",
            at(
                [
                    START,
                    *[part(w).replace(b'"delta"', b'"message":{"content":"so far"},"delta"') for w in words(20)],
                    *END,
                ]
            ),
        )
    ),
}
