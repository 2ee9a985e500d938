"""Late, silent and clumped: first-byte, stall, burst, and what the browser does."""

from __future__ import annotations

import gzip
from dataclasses import replace

from harness.capture.model import Capture, Clock
from harness.tests.diagnose.build import SSE
from harness.tests.diagnose.unseen.kit import (
    DONE,
    Reads,
    Unseen,
    at,
    call,
    fault,
    flushed,
    hop,
    ladder,
    on,
    part,
    refusal,
    silent,
    sized,
    tale,
    warn,
    whole,
    words,
)  # fmt: skip

CLOCK = Clock("box", "monotonic", 0.001, 0.0, 0.0)
EVEN = at(tale(24))
LONG = at(tale(140), gap=60)
NGINX = (*SSE, ("server", "nginx/1.22.1"))


def beating(reads: Reads, until: float, every: float = 5000, beat: bytes = b": ping\n\n") -> Reads:
    return sorted([*reads, *[(every * i, beat) for i in range(1, int(until // every) + 1)]])


def paused(reads: Reads, after: int, ms: float) -> Reads:
    return reads[:after] + [(t + ms, data) for t, data in reads[after:]]


def frozen(reads: Reads, start: float, ms: float) -> Reads:
    """A hop that does nothing between start and start + ms, and then all that was held."""
    return [(max(t, start + ms) if t > start else t, data) for t, data in reads]


def taps(read: Reads, write: Reads, arrive: Reads) -> tuple[Capture, ...]:
    """The relay's three taps of one exchange: bytes stored once, the outer two share them."""
    outs = []
    for name, tap, rows, sent in (
        ("gateway", "read", read, "0.004"),
        ("app", "write", write, "0.000"),
        ("network-path", "arrive", arrive, "0.000"),
    ):
        outs.append(hop(name, rows, tap=tap, exchange="x1", clock=CLOCK, sent_at=f"2026-02-01T10:00:0{sent}Z"))
    return tuple(outs)


def gzipped(reads: Reads) -> Reads:
    """Compressed without a flush: the 10-byte head early, all the rest at the end."""
    data = gzip.compress(b"".join(data for _, data in reads), mtime=0)
    return [(reads[0][0], data[:10]), (reads[-1][0] + 3, data[10:])]


THOUGHT = at([part("", role="assistant"), *[part(reasoning=w) for w in words(100)]], gap=120)
SPOKEN = at([*[part(w) for w in words(12)], part(finish="stop"), DONE], start=THOUGHT[-1][0] + 100)
BLANK = b'data: {"id":"","object":"","created":0,"model":"","choices":[{"delta":{"role":"assistant","content":""},"index":0,"finish_reason":null}]}\n\n'  # noqa: E501

CASES: dict[str, Unseen] = {
    "cdn-gives-up-at-100-s": fault(
        "first-byte|error|not-streamed",
        "network-path",
        silent("app", 100_000, detail="closed by the peer in front"),
        refusal(
            "network-path",
            524,
            "<html><title>524: A timeout occurred</title></html>",
            100_020,
            extra=(("cf-ray", "8f"),),
        ),
    ),
    "proxy-504-before-headers": fault(
        "first-byte|error|not-streamed",
        "proxy",
        silent("app", 60_001),
        refusal("proxy", 504, "<html><title>504 Gateway Time-out</title></html>", 60_003),
    ),
    "gateway-tries-thrice-before-it-speaks": fault(
        "first-byte", "gateway", hop("engine", EVEN), hop("gateway", on(EVEN, 12_400), head_ms=12_500)
    ),
    "pings-while-the-engine-loads": fault(
        "first-byte",
        "engine",
        hop("engine", at(tale(), start=38_000), head_ms=37_900),
        hop("app", beating(on(at(tale(), start=38_000)), 38_000)),
    ),
    "thinking-under-the-new-name-dropped": fault(
        "loss|first-byte|rewrite",
        "gateway",
        hop("engine", THOUGHT + SPOKEN),
        hop("gateway", [(t + 3, d) for t, d in THOUGHT[:1] + SPOKEN]),
    ),
    "heartbeats-only-in-the-middle": fault(
        "stall", "gateway", hop("gateway", beating(paused(EVEN, 9, 36_000), 40_000, 10_000, BLANK), wire="fastgpt")
    ),
    "preempted-for-8-s-seen-at-three-hops": fault(
        "stall", "engine", *ladder(paused(EVEN, 11, 8_000), "engine", "gateway", "proxy")
    ),
    "gateway-paused-6-s-seen-at-three-hops": fault(
        "stall|burst",
        "gateway",
        hop("engine", EVEN),
        hop("gateway", frozen(EVEN, 900, 6_000)),
        hop("app", on(frozen(EVEN, 900, 6_000))),
    ),
    "comments-hide-a-stall": fault("stall", "engine", hop("engine", beating(paused(EVEN, 15, 21_000), 22_000))),
    "goes-silent-while-it-thinks": fault("stall", "engine", hop("engine", THOUGHT[:40], end="open", end_ms=95_000.0)),
    "stalls-in-a-tool-call": fault(
        "stall",
        "engine",
        hop(
            "engine",
            paused(
                at(
                    [
                        part("", role="assistant"),
                        call(name="f", ident="c1"),
                        *[call(arguments=c) for c in '{"path":"a/b/c"}'],
                        part(finish="tool_calls"),
                        DONE,
                    ]
                ),
                9,
                14_000,
            ),
        ),
    ),
    "cdn-keeps-all-until-the-end": fault(
        "burst|not-streamed",
        "network-path",
        hop("app", EVEN),
        hop("network-path", flushed(EVEN, [2_600]), headers=(*SSE, ("cf-ray", "8f-FRA"))),
    ),
    "gzip-at-the-load-balancer": fault(
        "burst|not-streamed",
        "proxy",
        hop("app", EVEN),
        hop("proxy", gzipped(EVEN), headers=(*SSE, ("content-encoding", "gzip"))),
    ),
    "brotli-decoded-by-the-browser": fault(
        "burst|not-streamed",
        "network-path",
        hop("app", EVEN),
        hop(
            "network-path",
            flushed(EVEN, [1_300, 2_600]),
            headers=(*SSE, ("content-encoding", "br")),
            content_decoded=True,
            tap="arrive",
        ),
    ),
    "iis-8-kib": fault("burst", "proxy", hop("app", LONG), hop("proxy", sized(LONG, 8192))),
    "stdio-32-kib-short": fault("burst|not-streamed", "app", hop("gateway", EVEN), hop("app", sized(EVEN, 32_768))),
    "go-flushes-each-second": fault(
        "burst", "proxy", hop("engine", LONG), hop("proxy", flushed(LONG, range(1_000, 20_000, 1_000)))
    ),
    "nagle-200-ms": fault(
        "burst",
        "network-path",
        hop("app", at(tale(60), gap=45)),
        hop("network-path", flushed(at(tale(60), gap=45), range(200, 6_000, 200))),
    ),
    "sync-iterator-under-asgi": fault(
        "burst|not-streamed",
        "app",
        hop("gateway", LONG),
        hop("app", flushed(LONG, [LONG[-1][0] + 5]), head_ms=LONG[-1][0] + 4),
    ),
    "fake-stream-from-json": fault(
        "burst|not-streamed|first-byte",
        "gateway",
        refusal(
            "engine", 200, whole("".join(words(30))), 8_700, request={"model": "demo", "stream": False, "messages": []}
        ),
        hop("gateway", at(tale(30), start=8_720, gap=0.1), head_ms=8_715),
    ),
    "short-answer-held": fault(
        "burst|not-streamed",
        "proxy",
        hop("app", at(tale(6), gap=110)),
        hop("proxy", flushed(at(tale(6), gap=110), [1_200])),
    ),
    "nginx-4-kib-as-fourth-hop": fault(
        "burst",
        "proxy",
        *ladder(LONG, "engine", "gateway", "app"),
        hop("proxy", sized(on(LONG, 9), 4096), headers=NGINX),
    ),
    "guardrail-behind-four-good-hops": fault(
        "burst",
        "gateway",
        hop("engine", LONG),
        *ladder(on(flushed(LONG, range(1_500, 20_000, 1_500))), "gateway", "app", "proxy", "network-path"),
    ),
    "flush-only-on-newline": fault(
        "burst", "app", hop("gateway", LONG), hop("app", flushed(LONG, [LONG[i][0] + 1 for i in range(20, 140, 20)]))
    ),
    "relay-blocked-between-read-and-write": fault(
        "burst|stall", "app", *taps(EVEN, frozen(on(EVEN), 700, 3_000), on(frozen(on(EVEN), 700, 3_000), 8))
    ),
    "way-to-the-browser-clumps": fault(
        "burst", "network-path", *taps(EVEN, on(EVEN, 1), flushed(on(EVEN, 9), range(600, 4_000, 600)))
    ),
    "page-paints-late": fault(
        "render|burst|stall",
        "browser",
        hop("network-path", EVEN, tap="arrive", exchange="x2", clock=CLOCK),
        hop("browser", frozen(on(EVEN, 20), 500, 4_000), tap="paint", exchange="x2", clock=CLOCK),
    ),
    "waf-one-event-behind": warn(
        "burst|stall|first-byte",
        "proxy",
        hop("app", at(tale(14), gap=400)),
        hop(
            "proxy",
            [
                (b[0] + 4, a[1])
                for a, b in zip(at(tale(14), gap=400), [*at(tale(14), gap=400)[1:], (6_900.0, b"")], strict=True)
            ],
        ),
    ),
    "closes-8-s-after-done": warn(
        "stall",
        "gateway",
        *[hop(n, EVEN, end_ms=EVEN[-1][0] + 8_000 * (n == "gateway") + 5) for n in ("engine", "gateway")],
    ),
    "finish-comes-5-s-late": warn("stall", "engine", hop("engine", paused(EVEN, len(EVEN) - 2, 5_000))),
    "clumps-in-two-of-three-runs": fault(
        "burst",
        "proxy",
        *[
            replace(c, repeat=i)
            for i in range(3)
            for c in (hop("engine", EVEN), hop("proxy", flushed(EVEN, range(800, 4_000, 800)) if i else on(EVEN)))
        ],
    ),
}
