"""Late, silent and clumped, near the limits and beside them: first-byte, stall, burst, and what the page paints."""

from __future__ import annotations

from dataclasses import replace

from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.delays import LONG, beating, frozen, paused
from harness.tests.diagnose.unseen.kit import (
    END,
    START,
    Unseen,
    at,
    fault,
    flushed,
    hop,
    ladder,
    on,
    part,
    silent,
    sized,
    tale,
    warn,
    words,
)  # fmt: skip

EVEN = at(tale(30))
EMPTY = [(EVEN[14][0] + 1_000 * i, part("")) for i in range(1, 20)]

CASES: dict[str, Unseen] = {
    "first-kilobyte-collected": fault(
        "first-byte|burst", "app", hop("gateway", EVEN), hop("app", flushed(EVEN[:7], [760.0]) + on(EVEN[7:]))
    ),
    "prefill-of-others-thrice": fault(
        "stall", "engine", *ladder(paused(paused(paused(EVEN, 8, 3_400), 15, 3_300), 22, 3_500), "engine", "gateway")
    ),
    "body-never-closed": warn(
        "stall", "gateway", hop("gateway", EVEN, end="timeout", end_ms=EVEN[-1][0] + 30_000, detail="read timeout 30 s")
    ),
    "empty-deltas-for-20-s": fault("stall", "engine", hop("engine", [*EVEN[:15], *EMPTY, *on(EVEN[15:], 20_000)])),
    "silent-between-thought-and-answer": fault(
        "stall",
        "engine",
        *ladder(
            paused(
                at([START, *[part(reasoning=w) for w in words(20)], *[part(w) for w in words(20)], *END]), 21, 7_000
            ),
            "engine",
            "app",
        ),
    ),
    "two-exchanges-proxy-clumps": fault(
        "burst",
        "proxy",
        hop("engine", LONG, exchange="a"),
        hop("proxy", sized(at(tale(140), gap=60, seed=9), 4_096), exchange="b"),
    ),
    "records-in-one-read": fault(
        "burst|not-streamed|first-byte",
        "engine",
        hop(
            "engine",
            [(9_000.0, b"".join(ollama(w) for w in words(20)) + ollama(done=True, done_reason="stop"))],
            headers=NDJSON,
        ),
    ),
    "waits-on-no-one": fault(
        "first-byte", "gateway", silent("gateway", 45_000, "timeout", detail="first byte limit 45 s")
    ),
    "healthy-repeats-with-one-bad": fault(
        "stall",
        "engine",
        *[
            replace(c, repeat=i)
            for i in range(3)
            for c in ladder(paused(EVEN, 9, 5_000) if i == 2 else EVEN, "engine", "proxy")
        ],
    ),
    "gap-of-4-s-at-that-pace": fault(
        "stall", "engine", *ladder(paused(at(tale(30), gap=120), 9, 4_300), "engine", "app")
    ),
    "app-looks-up-documents-for-3-s": fault("first-byte", "app", hop("engine", EVEN), hop("app", on(EVEN, 3_000))),
    "app-looks-up-documents-for-15-s": fault(
        "first-byte", "app", hop("gateway", EVEN), hop("app", beating(on(EVEN, 15_000), 15_000))
    ),
    "first-byte-of-11-s": fault("first-byte", "engine", *ladder(at(tale(20), start=11_000), "engine", "app", "proxy")),
    "user-gave-up-after-30-s": fault(
        "first-byte",
        "engine",
        silent("engine", 30_002.0, exchange="x", sent_at="2026-02-01T10:00:00Z"),
        silent("app", 30_000.0, exchange="x", sent_at="2026-02-01T10:00:00Z"),
    ),
    "beats-for-ever": fault(
        "first-byte|stall",
        "gateway",
        hop("gateway", [(5_000.0 * i, b": ping\n\n") for i in range(1, 25)], end="open", end_ms=121_000),
    ),
    "gap-at-first-only-in-front": fault(
        "stall|burst", "proxy", *ladder(EVEN, "engine", "app"), hop("proxy", frozen(on(EVEN, 6), 400, 5_000))
    ),
    "proxy-seen-without-its-neighbour": fault(
        "burst", "proxy", hop("engine", LONG), hop("proxy", sized(on(LONG, 30), 4_096))
    ),
    "shared-bytes-in-clumps": fault(
        "burst",
        "network-path",
        hop("app", EVEN, tap="write", exchange="x"),
        replace(
            hop("network-path", flushed(on(EVEN, 12), range(700, 5_000, 700)), tap="arrive", exchange="x"), body=None
        ),
    ),
    "tap-at-the-source-clumped-by-gateway": fault(
        "burst",
        "gateway",
        hop("engine", EVEN, tap="emit", exchange="x"),
        hop("gateway", flushed(EVEN, range(700, 5_000, 700)), exchange="x"),
    ),
    "safari-waits-for-512-bytes": warn(
        "burst|first-byte",
        "browser",
        hop("network-path", EVEN, tap="arrive", exchange="x"),
        hop("browser", flushed(EVEN[:4], [470.0]) + on(EVEN[4:]), tap="paint", exchange="x"),
    ),
}
