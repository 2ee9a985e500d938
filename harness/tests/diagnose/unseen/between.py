"""What stands between: balancers, edges, sidecars, firewalls, scanners, restarts and browsers that hurt a stream."""

from __future__ import annotations

from typing import Any

from harness.capture.model import Clock
from harness.tests.diagnose.build import DONE
from harness.tests.diagnose.unseen.calm import ID
from harness.tests.diagnose.unseen.delays import EVEN, LONG, frozen, paused
from harness.tests.diagnose.unseen.kit import (
    Reads,
    Unseen,
    at,
    fault,
    hop,
    on,
    part,
    sized,
    tale,
    warn,
    words,
)  # fmt: skip

TYPE = ("content-type", "text/event-stream")
SENT = "2026-02-01T10:00:00.000Z"
AT = Clock("bench", "monotonic", 0.001)
SHORT = at(tale(14, ident=ID), start=400, gap=300)


def page(title: str, text: str = "") -> str:
    return (
        f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>\n"
    )


def lagging(reads: Reads, by: int) -> Reads:
    """A window of ``by`` events is kept back for a scanner; the rest is let go at the end."""
    last = reads[-1][0] + 2
    return flushed_to(
        [(reads[i + by][0] + 1 if i + by < len(reads) else last, data) for i, (_, data) in enumerate(reads)]
    )


def flushed_to(reads: Reads) -> Reads:
    out: dict[float, bytes] = {}
    for t, data in reads:
        out[t] = out.get(t, b"") + data
    return sorted(out.items())


def trickled(reads: Reads, every: float) -> Reads:
    """One byte now and then while a scanner collects; everything when it has done."""
    body = b"".join(data for _, data in reads)
    times = [reads[0][0] + every * i for i in range(int((reads[-1][0] - reads[0][0]) // every))]
    return [*[(t, body[i : i + 1]) for i, t in enumerate(times)], (reads[-1][0] + 40, body[len(times) :])]


def of(name: str, reads: Reads, end: str, end_ms: float, detail: str = "", exchange: str = "x9", **more: Any) -> Any:
    return hop(name, reads, end=end, end_ms=end_ms, detail=detail, exchange=exchange, sent_at=SENT, clock=AT, **more)


def typed(kind: str, *more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return (("content-type", kind), ("cache-control", "no-cache"), ("transfer-encoding", "chunked"), *more)


def blank_line_late(reads: Reads) -> Reads:
    """The line end that closes an event is written when the next one begins."""
    out = [(t, (b"\n" if i else b"") + data[:-1]) for i, (t, data) in enumerate(reads)]
    return [*out, (reads[-1][0] + 900, b"\n")]


SENTENCE = words(60)

CASES: dict[str, Unseen] = {
    "dev-proxy-half-then-two-kib": fault(
        "burst",
        "proxy",
        hop("app", LONG),
        hop(
            "proxy",
            [
                *sized(LONG[:3], 512)[:1],
                *sized([(LONG[2][0], b"".join(d for _, d in LONG[:3])[512:]), *LONG[3:]], 2048),
            ],
        ),
    ),
    "proxy-knows-the-type-without-charset-only": fault(
        "burst|not-streamed",
        "proxy",
        hop("app", EVEN, headers=typed("text/event-stream; charset=utf-8", ("x-powered-by", "Express"))),
        hop(
            "proxy",
            [(EVEN[-1][0] + 9, b"".join(d for _, d in EVEN))],
            headers=typed("text/event-stream; charset=utf-8"),
            head_ms=EVEN[-1][0] + 8,
        ),
    ),
    "gateway-one-chunk-behind": warn(
        "burst|stall|first-byte",
        "gateway",
        hop("engine", SHORT),
        hop("gateway", flushed_to([(SHORT[min(i + 1, len(SHORT) - 1)][0] + 3, d) for i, (_, d) in enumerate(SHORT)])),
    ),
    "blank-line-comes-with-the-next-event": warn(
        "burst|stall|first-byte|malformed", "app", hop("gateway", SHORT), hop("app", blank_line_late(SHORT))
    ),
    "function-behind-a-balancer-all-at-once": fault(
        "burst|not-streamed|first-byte",
        "proxy",
        hop(
            "proxy",
            [(7_950.0, b"".join(d for _, d in EVEN))],
            headers=(TYPE, ("content-length", str(sum(len(d) for _, d in EVEN))), ("server", "awselb/2.0")),
            head_ms=7_949.0,
        ),
    ),
    "scanner-keeps-a-window-of-twelve": fault(
        "burst|first-byte",
        "gateway",
        hop("engine", at(tale(60, ident=ID))),
        hop("gateway", lagging(at(tale(60, ident=ID)), 12)),
    ),
    "sentences-made-of-words": fault(
        "burst|first-byte",
        "gateway",
        hop(
            "engine", at([part("", role="assistant"), *[part(w) for w in SENTENCE], part(finish="stop"), DONE], gap=100)
        ),
        hop(
            "gateway",
            [(180.0 + 100 * (12 * k + 12) + 4, part("".join(SENTENCE[12 * k : 12 * k + 12]))) for k in range(5)]
            + [(6_400.0, part(finish="stop") + DONE)],
        ),
    ),
    "proxy-pauses-5-s-then-goes-on": fault(
        "stall|burst",
        "proxy",
        hop("engine", EVEN),
        hop("gateway", on(EVEN)),
        hop("proxy", paused(on(EVEN, 5), 11, 5_000)),
    ),
    "scanner-on-http-holds-while-open": fault(
        "burst|stall|first-byte|not-streamed",
        "network-path",
        hop("proxy", EVEN),
        hop("network-path", [], end="open", end_ms=31_000.0, detail="recording stopped, connection still open"),
    ),
    "scanner-trickles-single-bytes": fault(
        "burst|not-streamed|first-byte", "network-path", hop("proxy", LONG), hop("network-path", trickled(LONG, 1_000))
    ),
    "laptop-slept-for-95-s": fault(
        "burst|stall",
        "network-path",
        of("app", EVEN, "complete", 2_700.0),
        of("network-path", frozen(on(EVEN, 12), 1_000, 95_000), "complete", 96_001.0),
    ),
    "one-of-two-repeats-in-blocks-listed-by-hop": fault(
        "burst",
        "proxy",
        *[hop("engine", on(LONG, 3 * i), repeat=i) for i in range(2)],
        hop("proxy", on(LONG, 5), repeat=0),
        hop("proxy", sized(LONG, 4096), repeat=1),
    ),
}
