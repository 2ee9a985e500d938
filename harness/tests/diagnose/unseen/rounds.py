"""Rounds and vantage points: repeats, other samples of a prompt, clocks that disagree, stops, HARs, shared stamps."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.capture.model import Capture, Clock
from harness.tests.diagnose.unseen.delays import frozen, paused
from harness.tests.diagnose.unseen.kit import (
    Reads,
    Unseen,
    fault,
    fine,
    flushed,
    hop,
    on,
    refusal,
    sized,
    warn,
)  # fmt: skip
from harness.tests.diagnose.unseen.rungs import NGINX, TEXT, climb, spoken, swapped, without, worded
from harness.tests.diagnose.unseen.shapes import VLLM

OTHER = worded(
    "At Brannoch the keeper of the lock wrote down every boat , and every shower of rain beside it . "
    "His dog heard the rain read out on still nights , head on her paws by the stove . "
    "The wind of that March was never asked for again ."
)
TALE = [{"role": "user", "content": "A tale."}]
ZERO: dict[str, Any] = {"model": "m", "stream": True, "temperature": 0, "seed": 7, "messages": TALE}
WARM: dict[str, Any] = ZERO | {"temperature": 0.8, "seed": None}
BOX, LAP = Clock("gpu-box", "monotonic", 0.001), Clock("laptop", "monotonic", 0.001)
A: dict[str, Any] = {"id": "chatcmpl-71c0a1f6b2d84e55"}
B: dict[str, Any] = {"id": "chatcmpl-0d9b5c3ae17f4f20"}
EVEN = spoken(TEXT)
LONG = spoken(TEXT * 4, gap=48)
MID = EVEN[26][0]
COARSE = Clock("har", "wall", 100.0)


def two(inner: Sequence[str], outer: Sequence[str], asked: dict[str, Any], repeat: int | None = None) -> list[Capture]:
    """Engine and gateway asked one after another: two exchanges of one prompt."""
    same = {"request": asked, "repeat": repeat}
    return [
        hop("engine", spoken(inner, **A), exchange=f"probe-{repeat}-a", headers=VLLM, **same),
        hop("gateway", spoken(outer, 342.0, 66.0, **B), exchange=f"probe-{repeat}-b", headers=NGINX, **same),
    ]


def rounds(
    count: int, sick: dict[int, list[Capture]], route: Sequence[str] = ("engine", "gateway-1", "proxy")
) -> list[Capture]:
    """A ladder asked several times; some rounds are others."""
    out = []
    for i in range(count):
        taken = sick.get(i) or climb(spoken(TEXT, 310.0 + 9 * i, 60.0 + i), route=route)
        out += [replace(c, repeat=i, exchange=f"round-{i}") for c in taken]
    return out


def stopped(
    name: str, reads: Reads, end: str, end_ms: float, detail: str = "", sent: str = "00.000", **more: Any
) -> Capture:
    more = {"clock": BOX} | more
    return hop(
        name,
        reads,
        end=end,
        end_ms=end_ms,
        detail=detail,
        exchange="ex-stop",
        sent_at=f"2026-03-03T08:15:{sent}Z",
        **more,
    )


def until(t: float) -> Reads:
    return [row for row in EVEN if row[0] < t]


def drifting(reads: Reads, ppm: float, start: float) -> Reads:
    return [(start + t * (1 + ppm / 1e6), data) for t, data in reads]


def shared(name: str, tap: str, reads: Reads, **more: Any) -> Capture:
    """Stamps over the bytes of the tap behind."""
    return replace(hop(name, reads, tap=tap, exchange="ex-shared", clock=LAP, **more), body=None)


def painted(reads: Reads, every: float = 50.0) -> Reads:
    return flushed(reads, [every * i + 16 for i in range(400)])


def zipped(reads: Reads) -> Reads:
    """Flushed after each event, as Caddy does."""
    made = zlib.compressobj(wbits=31)
    out = [(t, made.compress(data) + made.flush(zlib.Z_SYNC_FLUSH)) for t, data in reads]
    return [*out, (reads[-1][0] + 0.4, made.flush())]


WRITE = hop("app", EVEN, tap="write", exchange="ex-shared", clock=LAP)
USER = "stopped by the user: closed by us"
FRONT = "closed by the hop in front"
GZ = (("content-type", "text/event-stream"), ("content-encoding", "gzip"))
RNG = random.Random(3)
SHAKEN = [(t + (RNG.uniform(180, 340) if i % 9 == 5 else 0), d) for i, (t, d) in enumerate(EVEN)]

CASES: dict[str, Unseen] = {
    # repeats
    "a-word-lost-in-the-third-of-four": fault(
        "loss",
        "gateway-1",
        *rounds(4, {2: climb(EVEN, "gateway-1", without(31), route=("engine", "gateway-1", "proxy"))}),
    ),
    "engine-sleeps-in-the-second-of-five": fault(
        "stall", "engine", *rounds(5, {1: climb(paused(EVEN, 19, 6_800), route=("engine", "gateway-1", "proxy"))})
    ),
    "proxy-clumps-in-each-second": fault(
        "burst|not-streamed",
        "proxy",
        *rounds(
            5,
            {i: climb(LONG, "proxy", lambda r: sized(r, 8192), route=("engine", "gateway-1", "proxy")) for i in (1, 3)},
        ),
    ),
    "first-is-cold-for-13-s": fault(
        "first-byte",
        "engine",
        *rounds(3, {0: climb(on(EVEN, 13_000), route=("engine", "gateway-1", "proxy"), head_ms=12_900.0)}),
    ),
    "503-in-the-last-of-three": fault(
        "error|not-streamed",
        "engine",
        *rounds(
            3,
            {
                2: [
                    refusal(n, 503, {"error": {"message": "queue full", "code": 503}}, 20 + 4.0 * i)
                    for i, n in enumerate(("engine", "gateway-1", "proxy"))
                ]
            },
        ),
    ),
    "five-good-rounds": fine(*rounds(5, {})),
    "last-round-not-asked-at-the-proxy": fine(*rounds(4, {})[:-1]),
    "rounds-listed-by-hop": fine(*sorted(rounds(3, {}), key=lambda c: ("engine", "gateway-1", "proxy").index(c.hop))),
    "user-stops-in-one-round-and-all-hear": fine(
        *rounds(
            3,
            {
                1: [
                    hop(
                        n,
                        on(until(MID), 3 * i),
                        end="aborted",
                        end_ms=MID + 4 * (2 - i),
                        detail=USER if n == "proxy" else FRONT,
                    )
                    for i, n in enumerate(("engine", "gateway-1", "proxy"))
                ]
            },
        )
    ),
    # other samples of one prompt
    "warm-samples-tell-another-tale": fine(*two(TEXT, OTHER, WARM)),
    "warm-samples-in-three-rounds": fine(*[c for i in range(3) for c in two(TEXT[i:], OTHER[: 40 + i], WARM, i)]),
    "cold-samples-part-near-the-end": fine(*two(TEXT, [*TEXT[:41], *OTHER[25:]], ZERO)),
    "cold-samples-part-at-once": fine(*two(TEXT, OTHER, ZERO)),
    "cold-samples-one-word-another": fine(*two(TEXT, [*TEXT[:14], "still ", *TEXT[15:]], WARM)),
    "cold-samples-neighbours-swapped": fault(
        "reorder", "gateway", *two(TEXT, [*TEXT[:20], TEXT[21], TEXT[20], *TEXT[22:]], ZERO)
    ),
    "cold-samples-a-clause-is-missing": fault("loss", "gateway", *two(TEXT, [*TEXT[:20], *TEXT[26:]], ZERO)),
    "cold-samples-a-clause-is-missing-each-time": fault(
        "loss", "gateway", *[c for i in range(3) for c in two(TEXT, [*TEXT[:20], *TEXT[26:]], ZERO, i)]
    ),
    "cold-samples-each-piece-twice": fault("duplicate", "gateway", *two(TEXT, [w for w in TEXT for _ in (0, 1)], ZERO)),
    "warm-samples-gateway-cut": fault(
        "truncation",
        "gateway",
        two(TEXT, OTHER, WARM)[0],
        hop("gateway", spoken(OTHER, **B)[:27], end="truncated", exchange="probe-b", request=WARM, headers=NGINX),
    ),
    "warm-samples-gateway-clumps": fault(
        "burst|not-streamed",
        "gateway",
        two(TEXT * 3, OTHER, WARM)[0],
        hop("gateway", sized(spoken(OTHER * 3, **B), 8192), exchange="probe-b", request=WARM, headers=NGINX),
    ),
    "other-sample-is-shorter": fine(*two(TEXT * 2, OTHER[:24], WARM)),
    # the ledger and who reads it
    "ledger-and-two-readers": fine(
        hop("engine", EVEN, tap="emit", exchange="ex-l", clock=BOX, sent_at="2026-03-03T08:15:00.004Z"),
        hop("gateway", on(EVEN, 6), exchange="ex-l", clock=BOX, sent_at="2026-03-03T08:15:00.000Z"),
        hop("app", on(EVEN, 8), tap="write", exchange="ex-l", clock=BOX, sent_at="2026-03-03T08:15:00.000Z"),
    ),
    "ledger-whole-and-the-gateway-loses": fault(
        "loss",
        "gateway",
        hop("engine", EVEN, tap="emit", exchange="ex-l"),
        hop("gateway", on(without(17)(EVEN), 6), exchange="ex-l"),
        hop("app", on(without(17)(EVEN), 8), tap="write", exchange="ex-l"),
    ),
    "ledger-whole-and-the-gateway-swaps": fault(
        "reorder",
        "gateway",
        hop("engine", EVEN, tap="emit", exchange="ex-l"),
        hop("gateway", on(swapped(28)(EVEN), 6), exchange="ex-l"),
    ),
    "ledger-tells-of-the-reset": fault(
        "reset|truncation",
        "engine",
        hop("engine", EVEN[:26], tap="emit", end="reset", end_ms=MID, exchange="ex-l"),
        hop("gateway", on(EVEN[:26], 4), end="complete", exchange="ex-l"),
    ),
    # clocks
    "seven-minutes-apart-and-200-ppm": fine(
        hop("engine", LONG, exchange="ex-c", clock=BOX, sent_at="2026-03-03T08:15:00Z", headers=VLLM),
        hop(
            "gateway", drifting(LONG, 200, 9), exchange="ex-c", clock=LAP, sent_at="2026-03-03T08:22:00Z", headers=NGINX
        ),
        hop(
            "proxy",
            drifting(LONG, -200, 14),
            exchange="ex-c",
            clock=Clock("edge"),
            sent_at="2026-03-03T06:15:00Z",
            headers=NGINX,
        ),
    ),
    "outer-stamps-before-the-inner-by-40-s": fine(
        hop("engine", EVEN, exchange="ex-c", clock=BOX, sent_at="2026-03-03T08:15:40Z"),
        hop("gateway", on(EVEN, 8), exchange="ex-c", clock=LAP, sent_at="2026-03-03T08:15:00Z"),
    ),
    "three-minutes-apart-and-clumped": fault(
        "burst",
        "proxy",
        hop("engine", LONG, exchange="ex-c", clock=BOX, sent_at="2026-03-03T08:15:00Z"),
        hop("gateway", drifting(LONG, 90, 9), exchange="ex-c", clock=LAP, sent_at="2026-03-03T08:18:00Z"),
        hop(
            "proxy",
            sized(drifting(LONG, 90, 12), 8192),
            exchange="ex-c",
            clock=Clock("edge"),
            sent_at="2026-03-03T08:11:00Z",
        ),
    ),
    "eight-minutes-long-at-150-ppm": fine(
        hop("engine", spoken(TEXT * 20, gap=420), exchange="ex-c", clock=BOX, sent_at="2026-03-03T08:15:00Z"),
        hop(
            "gateway",
            drifting(spoken(TEXT * 20, gap=420), 150, 6),
            exchange="ex-c",
            clock=LAP,
            sent_at="2026-03-03T08:15:00Z",
        ),
    ),
    # stops
    "stop-heard-at-four-taps": fine(
        stopped("engine", until(MID), "aborted", MID + 31, FRONT),
        stopped("gateway", on(until(MID), 2), "aborted", MID + 24, FRONT),
        stopped("app", on(until(MID), 4), "aborted", MID + 12, FRONT),
        stopped("network-path", on(until(MID), 9), "aborted", MID + 5, USER),
    ),
    "engine-ended-by-itself-as-we-stopped": fine(
        stopped("engine", EVEN, "complete", EVEN[-1][0] + 1),
        stopped("gateway", on(EVEN[:-2], 2), "aborted", EVEN[-2][0] + 9, FRONT),
        stopped("app", on(EVEN[:-2], 4), "aborted", EVEN[-2][0] + 6, USER),
    ),
    "first-gateway-drains-the-engine": fault(
        "not-cancelled",
        "gateway-2",
        stopped("engine", EVEN, "complete", EVEN[-1][0] + 1),
        stopped("gateway-1", on(EVEN, 2), "complete", EVEN[-1][0] + 3),
        stopped("gateway-2", on(until(MID), 4), "aborted", MID + 16, FRONT),
        stopped("app", on(until(MID), 6), "aborted", MID + 8, USER),
    ),
    "gateway-heard-it-and-the-engine-goes-on": fault(
        "not-cancelled",
        "gateway",
        stopped("engine", LONG, "complete", LONG[-1][0] + 1),
        stopped("gateway", [r for r in LONG if r[0] < MID], "aborted", MID + 12, FRONT),
        stopped("app", [r for r in LONG if r[0] < MID], "aborted", MID + 8, USER),
    ),
    "stopped-and-the-engine-hears-after-6-s": warn(
        "not-cancelled",
        "gateway",
        stopped("engine", [r for r in LONG if r[0] < MID + 6_000], "aborted", MID + 6_010, FRONT),
        stopped("gateway", [r for r in LONG if r[0] < MID], "aborted", MID + 12, USER),
    ),
    "stopped-recorder-at-the-engine-died-before": fine(
        stopped("engine", until(MID - 300), "open", MID - 300, "interrupted"),
        stopped("app", on(until(MID), 4), "aborted", MID + 8, USER),
    ),
    "sdk-leaves-at-the-finish-and-the-gateway-at-done": fine(
        stopped("engine", EVEN, "complete", EVEN[-1][0] + 1),
        stopped("gateway", on(EVEN, 2), "complete", EVEN[-1][0] + 4),
        stopped("app", on(EVEN[:-1], 4), "aborted", EVEN[-1][0] + 7, "closed by us: finish_reason seen"),
    ),
    # HARs and other people's recordings
    "har-of-a-browser-with-gzip-told": fine(
        hop("app", EVEN),
        hop("proxy", [(t // 100 * 100, d) for t, d in on(EVEN, 40)], content_decoded=True, headers=GZ, clock=COARSE),
    ),
    "gzip-flushed-inside-decoded-outside": fine(
        hop("app", zipped(EVEN), headers=GZ),
        hop("proxy", on(EVEN, 12), content_decoded=True, headers=GZ),
    ),
    "har-without-times-of-events": fine(
        hop("engine", EVEN),
        hop("proxy", [(EVEN[-1][0] + 20, b"".join(d for _, d in EVEN))], content_decoded=True, meta={"timed": False}),
    ),
    "har-without-times-and-a-hole": fault(
        "loss",
        "proxy",
        hop("engine", EVEN),
        hop(
            "proxy",
            [(EVEN[-1][0] + 20, b"".join(d for _, d in without(22)(EVEN)))],
            content_decoded=True,
            meta={"timed": False},
        ),
    ),
    "curl-traces-of-three-hops-no-ids-no-clock": fine(
        *[replace(c, exchange="", clock=None, sent_at="") for c in climb(EVEN, route=("engine", "gateway-1", "proxy"))]
    ),
    # stamps over shared bytes
    "written-arrived-painted-in-time": fine(
        WRITE, shared("network-path", "arrive", on(EVEN, 11)), shared("browser", "paint", painted(on(EVEN, 13)))
    ),
    "arrives-in-clumps-painted-as-it-comes": fault(
        "burst",
        "network-path",
        WRITE,
        shared("network-path", "arrive", flushed(on(EVEN, 11), range(900, 6_000, 900))),
        shared("browser", "paint", painted(flushed(on(EVEN, 13), range(900, 6_000, 900)))),
    ),
    "main-thread-blocked-for-4-s": fault(
        "render|burst|stall",
        "browser",
        WRITE,
        shared("network-path", "arrive", on(EVEN, 11)),
        shared("browser", "paint", frozen(painted(on(EVEN, 13)), 1_200, 4_100)),
    ),
    "painted-up-to-the-last-word": fine(
        WRITE,
        shared("network-path", "arrive", on(EVEN, 11)),
        shared("browser", "paint", painted(on(EVEN, 13)[:-2])),
    ),
    "painted-up-to-the-last-word-but-one": fault(
        "render|truncation|loss",
        "browser",
        WRITE,
        shared("network-path", "arrive", on(EVEN, 11)),
        shared("browser", "paint", on(EVEN, 13)[:-4]),
    ),
    "radio-delays-single-pieces-by-a-third": fine(
        WRITE,
        shared(
            "network-path",
            "arrive",
            on([(max(r[0] for r in SHAKEN[: i + 1]), d) for i, (_, d) in enumerate(SHAKEN)], 11),
        ),
    ),
    "proxy-swallows-the-last-read-of-five-taps": fault(
        "truncation|loss",
        "network-path",
        hop("engine", EVEN, headers=VLLM, exchange="ex-shared"),
        hop("gateway", on(EVEN, 3), exchange="ex-shared"),
        replace(WRITE),
        shared("network-path", "arrive", on(EVEN, 11)[:-6], end="truncated"),
        shared("browser", "paint", painted(on(EVEN, 13)[:-6]), end="truncated"),
    ),
    "engine-cut-and-relayed-to-the-paint": fault(
        "truncation|reset",
        "engine",
        hop("engine", EVEN[:30], headers=VLLM, exchange="ex-shared", end="truncated"),
        hop("app", on(EVEN[:30], 3), tap="write", exchange="ex-shared", end="truncated"),
        shared("network-path", "arrive", on(EVEN[:30], 11), end="truncated", detail="browser-cannot-tell"),
        shared("browser", "paint", painted(on(EVEN[:30], 13)), end="truncated"),
    ),
}
