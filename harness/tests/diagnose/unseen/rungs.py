"""Ladders of three to five taps: the fault at each rung in turn, rungs that are missing, chains that launder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.capture.model import Capture
from harness.tests.diagnose.unseen.delays import frozen, paused
from harness.tests.diagnose.unseen.kit import (
    DONE,
    Reads,
    Unseen,
    at,
    fault,
    fine,
    hop,
    on,
    refusal,
    sized,
    sse,
)  # fmt: skip
from harness.tests.diagnose.unseen.shapes import VLLM, vllm

ROUTE = ("engine", "gateway-1", "gateway-2", "app", "proxy")
NGINX = (("server", "nginx/1.26.2"), ("content-type", "text/event-stream"), ("transfer-encoding", "chunked"))
CUT = {"reset": ("reset", 4.0), "cut": ("truncated", 5.0), "clean": ("complete", 6.0)}
Change = Callable[[Reads], Reads]


def worded(text: str) -> list[str]:
    """One piece a word, each with the blank after it."""
    return [f"{word} " for word in text.split()]


TEXT = worded(
    "The lock keeper at Brannoch kept two ledgers , one for the boats and one for the weather . "
    "On quiet evenings he read the second aloud to his dog , who listened with her chin on the sill . "
    "Nobody else had ever asked what the wind was doing in March of the flood year ."
)
UMLAUTS = worded("Für die Mühle am Fluß wählten wir größere Räder aus Lärche , schön und zäh .")


def spoken(texts: Sequence[str], start: float = 310.0, gap: float = 62.0, **more: Any) -> Reads:
    head, end = vllm({"role": "assistant", "content": ""}, **more), vllm({"content": ""}, "stop", **more)
    return at([head, *[vllm({"content": text}, **more) for text in texts], end, DONE], start, gap, seed=11)


def climb(
    reads: Reads,
    sick: str = "",
    change: Change | None = None,
    *,
    route: Sequence[str] = ROUTE,
    unseen: Sequence[str] = (),
    ends: Mapping[str, str] | None = None,
    **more: Any,
) -> list[Capture]:
    """One exchange at every rung, 3 ms later each; from ``sick`` on the bytes are what ``change`` made of them."""
    out = []
    for name in route:
        reads = on(reads, 3.0)
        reads = change(reads) if change and name == sick else reads
        kind, late = CUT[(ends or {}).get(name, "clean")]
        if name not in unseen:
            tap = "write" if name == "app" else "read"
            headers = VLLM if name == "engine" else NGINX
            out.append(
                hop(
                    name, reads, tap=tap, headers=headers, exchange="ex-4410", end=kind, end_ms=reads[-1][0] + late,
                    **more,
                )
            )  # fmt: skip
    return out


def without(*indices: int) -> Change:
    return lambda reads: [row for i, row in enumerate(reads) if i not in indices]


def swapped(i: int) -> Change:
    def change(reads: Reads) -> Reads:
        datas = [data for _, data in reads]
        datas[i], datas[i + 1] = datas[i + 1], datas[i]
        return [(t, data) for (t, _), data in zip(reads, datas, strict=True)]

    return change


def again(i: int) -> Change:
    return lambda reads: [*reads[: i + 1], (reads[i][0] + 1, reads[i][1]), *reads[i + 1 :]]


def latin(reads: Reads) -> Reads:
    return [(t, data.decode().encode().decode("latin-1").encode()) for t, data in reads]


def first(count: int) -> Change:
    return lambda reads: reads[:count]


def closes(reads: Reads) -> Reads:
    """A made-up good end after the last that came."""
    t = reads[-1][0]
    return [*reads, (t + 8, vllm({}, "stop")), (t + 8.2, DONE)]


EVEN = spoken(TEXT)
LONG = spoken(TEXT * 4, gap=48)
GERMAN = spoken(UMLAUTS * 2)
ENDED = EVEN[30][0]
DOWN = {"error": {"message": "no healthy upstream", "type": "service_unavailable", "code": 503}}
LIMIT = {"error": {"message": "Rate limit reached for requests", "type": "rate_limit_error", "code": 429}}
FAILED = {"error": {"message": "upstream returned 503: no healthy upstream", "type": "upstream_error", "code": 503}}
TOLD = [(41.0, sse(FAILED)), (41.3, DONE)]

CASES: dict[str, Unseen] = {
    # the fault at each rung in turn
    "a-word-lost-at-the-second-gateway": fault("loss", "gateway-2", *climb(EVEN, "gateway-2", without(21))),
    "a-word-lost-at-the-app": fault("loss", "app", *climb(EVEN, "app", without(17))),
    "last-words-lost-at-the-first-gateway": fault(
        "loss|truncation", "gateway-1", *climb(EVEN, "gateway-1", without(len(EVEN) - 4, len(EVEN) - 3))
    ),
    "a-word-twice-at-the-app": fault("duplicate", "app", *climb(EVEN, "app", again(25))),
    "last-piece-twice-at-the-proxy": fault("duplicate", "proxy", *climb(EVEN, "proxy", again(len(EVEN) - 3))),
    "neighbours-swapped-at-the-first-gateway": fault("reorder", "gateway-1", *climb(EVEN, "gateway-1", swapped(19))),
    "neighbours-swapped-at-the-second-gateway": fault("reorder", "gateway-2", *climb(EVEN, "gateway-2", swapped(33))),
    "umlauts-broken-at-the-app": fault("encoding", "app", *climb(GERMAN, "app", latin)),
    "umlauts-broken-at-the-second-gateway": fault("encoding", "gateway-2", *climb(GERMAN, "gateway-2", latin)),
    "clumps-begin-at-the-second-gateway": fault(
        "burst", "gateway-2", *climb(LONG, "gateway-2", lambda r: sized(r, 8192))
    ),
    "clumps-begin-at-the-app": fault("burst|not-streamed", "app", *climb(EVEN, "app", lambda r: sized(r, 65536))),
    "sleeps-4-s-at-the-proxy": fault("stall|burst", "proxy", *climb(EVEN, "proxy", lambda r: frozen(r, 1_900, 4_000))),
    "sleeps-4-s-near-the-end-of-a-short-answer": fault(
        "stall|burst",
        "proxy",
        *climb(spoken(TEXT[:14], gap=180), "proxy", lambda r: frozen(r, 2_000, 4_200)),
    ),
    "sleeps-5-s-at-the-first-gateway": fault(
        "stall", "gateway-1", *climb(EVEN, "gateway-1", lambda r: paused(r, 28, 5_200))
    ),
    "prompt-guard-takes-6-s-at-the-first-gateway": fault(
        "first-byte", "gateway-1", *climb(EVEN, "gateway-1", lambda r: on(r, 6_300), head_ms=12.0)
    ),
    "proxy-cuts-after-30-s-as-fifth-rung": fault(
        "truncation|reset",
        "proxy",
        *climb(spoken(TEXT * 10, gap=75), "proxy", lambda r: [x for x in r if x[0] < 30_000], ends={"proxy": "cut"}),
    ),
    "app-cut-in-the-middle-proxy-hands-on": fault(
        "truncation|reset", "app", *climb(EVEN, "app", first(30), ends={"app": "reset", "proxy": "cut"})
    ),
    # rungs that are missing
    "engine-not-seen-gateway-cut": fault(
        "truncation|reset",
        "gateway-1",
        *climb(
            EVEN[:31], unseen=("engine",), ends={"gateway-1": "cut", "gateway-2": "cut", "app": "cut", "proxy": "cut"}
        ),
    ),
    "lost-between-engine-and-app": fault(
        "loss", "app", *climb(EVEN, "gateway-2", without(12), unseen=("gateway-1", "gateway-2"))
    ),
    "only-engine-and-proxy-seen-and-clumped": fault(
        "burst", "proxy", *climb(LONG, "app", lambda r: sized(r, 6000), unseen=("gateway-1", "gateway-2", "app"))
    ),
    "both-ends-seen-and-well": fine(*climb(EVEN, unseen=("gateway-1", "gateway-2", "app"))),
    "middle-three-seen-and-well": fine(*climb(EVEN, unseen=("engine", "proxy"))),
    # chains that launder
    "reset-then-cut-then-clean-then-made-whole": fault(
        "reset|truncation",
        "engine",
        *climb(EVEN[:31], "app", closes, ends={"engine": "reset", "gateway-1": "cut"}),
    ),
    "cut-then-clean-then-made-whole-engine-unseen": fault(
        "truncation|reset",
        "gateway-1",
        *climb(EVEN[:31], "app", closes, unseen=("engine",), ends={"gateway-1": "cut"}),
    ),
    "clean-end-without-finish-is-made-whole": fault("truncation", "engine", *climb(EVEN[:31], "gateway-1", closes)),
    "503-told-in-band-then-swallowed": fault(
        "truncation|not-streamed|error|loss|content",
        "gateway-2",
        refusal("engine", 503, DOWN, exchange="ex-77"),
        hop("gateway-1", TOLD, exchange="ex-77"),
        hop("gateway-2", [(47.0, DONE)], exchange="ex-77"),
        hop("proxy", [(49.0, DONE)], exchange="ex-77", headers=NGINX),
    ),
    "503-told-in-band-and-passed-on": fault(
        "error|not-streamed",
        "engine",
        refusal("engine", 503, DOWN, exchange="ex-78"),
        hop("gateway-1", TOLD, exchange="ex-78"),
        hop("gateway-2", on(TOLD, 4), exchange="ex-78"),
        hop("proxy", on(TOLD, 7), exchange="ex-78", headers=NGINX),
    ),
    "429-passed-on-by-four": fault(
        "error|not-streamed",
        "engine",
        *[refusal(name, 429, LIMIT, 20.0 + 4 * i, exchange="ex-79") for i, name in enumerate(ROUTE)],
    ),
    "429-becomes-a-login-page-at-the-proxy": fault(
        "error|not-streamed",
        "engine",
        *[refusal(name, 429, LIMIT, 20.0 + 4 * i, exchange="ex-80") for i, name in enumerate(ROUTE[:4])],
        refusal("proxy", 502, "<html><head><title>502 Bad Gateway</title></head></html>", 44.0, exchange="ex-80"),
    ),
    # inner sick, outer heals
    "503-healed-by-the-second-gateway": fine(
        refusal("engine", 503, DOWN, exchange="ex-81"),
        refusal("gateway-1", 503, DOWN, 26.0, exchange="ex-81"),
        hop("gateway-2", on(EVEN, 240), exchange="ex-81", headers=(*NGINX, ("x-fallback", "provider-b"))),
        hop("proxy", on(EVEN, 244), exchange="ex-81", headers=NGINX),
    ),
    "engine-gone-before-a-word-healed": fine(
        hop("engine", [], end="reset", end_ms=900.0, headers=VLLM, exchange="ex-82"),
        hop("gateway-1", on(EVEN, 1_300), exchange="ex-82", headers=NGINX),
        hop("proxy", on(EVEN, 1_304), exchange="ex-82", headers=NGINX),
    ),
    "answered-from-the-cache-of-the-outer-gateway": fine(
        *climb(EVEN, route=("engine", "gateway-1")),
        hop("gateway-2", on(EVEN, -120), exchange="ex-4410", headers=(*NGINX, ("x-cache", "MISS"))),
    ),
    # two faults of different families at two rungs
    "gateway-clumps-app-loses": fault(
        "loss",
        "app",
        *climb(LONG, "gateway-1", lambda r: sized(r, 6000), route=("engine", "gateway-1")),
        hop("app", on(sized([row for i, row in enumerate(LONG) if i != 77], 6000), 9), tap="write", exchange="ex-4410"),
    ),
    "engine-silent-for-12-s-proxy-doubles": fault(
        "duplicate",
        "proxy",
        *climb(paused(EVEN, 24, 12_400), "proxy", again(36)),
    ),
    "late-engine-and-a-gateway-that-cuts": fault(
        "truncation|reset",
        "gateway-2",
        *climb(on(EVEN, 14_000), "gateway-2", first(30), ends={"gateway-2": "reset", "app": "cut", "proxy": "cut"}),
    ),
    "broken-umlauts-then-a-cut": fault(
        "encoding",
        "gateway-1",
        *climb(GERMAN, "gateway-1", latin, route=ROUTE[:3]),
        hop("proxy", on(latin(GERMAN), 9)[:22], end="truncated", exchange="ex-4410", headers=NGINX),
    ),
    "gateway-sleeps-and-proxy-clumps": fault(
        "stall",
        "gateway-1",
        *climb(LONG, "gateway-1", lambda r: paused(r, 60, 4_000), route=ROUTE[:3]),
        hop("proxy", on(sized(paused(LONG, 60, 4_000), 7000), 12), exchange="ex-4410", headers=NGINX),
    ),
}
