"""Chains of causes: what is told, healed, hedged or hidden on the way out, and which of several faults came first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.capture.model import Capture, Clock
from harness.tests.diagnose.unseen.bridges import FAST, NODE, PLAIN, SHORT, X, flowing, inside, outside, paced
from harness.tests.diagnose.unseen.delays import frozen, paused
from harness.tests.diagnose.unseen.kit import (
    DONE,
    Reads,
    Unseen,
    at,
    fault,
    fine,
    flushed,
    hop,
    on,
    part,
    refusal,
    sized,
    sse,
    warn,
    whole,
)  # fmt: skip
from harness.tests.diagnose.unseen.rounds import BOX, EVEN, FRONT, LONG, MID, OTHER, USER, rounds, stopped, until
from harness.tests.diagnose.unseen.rungs import (
    NGINX,
    ROUTE,
    TEXT,
    climb,
    closes,
    spoken,
    swapped,
    without,
    worded,
)  # fmt: skip
from harness.tests.diagnose.unseen.shapes import MESSAGES, VLLM, block, claudes, texts, vllm

THREE = ("engine", "gateway", "proxy")
OOM = sse({"error": {"message": "CUDA out of memory", "type": "InternalServerError", "code": 500}})
BROKE = [*EVEN[:26], (MID, OOM), (MID + 1, DONE)]
OVER = sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error")
CODE = [
    "def ", "area", "(r)", ":", "\n", "    pi ", "= ", "3.14159", "\n", "    return ", "pi ", "* ", "r ", "* ", "r",
    "\n", "\n", "print", "(area", "(2)", ")", "\n",
]  # fmt: skip
FACES = worded("Good 👋 morning , here is the list 📋 of ferries : Mila ⛴️ at nine , Tova 🛳️ at ten , none 🚫 later .")
BOTH = {"model": "m", "stream": True, "n": 2, "messages": []}


def chain(*stages: tuple[str, Reads] | tuple[str, Reads, str], **more: Any) -> list[Capture]:
    """Hops of one exchange, each with its own reads and, if it is not a clean one, its end."""
    out = []
    for name, reads, *end in stages:
        headers = VLLM if name == "engine" else NGINX
        kind = end[0] if end else "complete"
        out.append(hop(name, reads, end=kind, exchange="ex-5150", headers=headers, **more))
    return out


def replaced(i: int, new: bytes) -> Reads:
    return [(t, new if k == i else d) for k, (t, d) in enumerate(EVEN)]


def both(lost: int = 0, late: float = 0.0) -> Reads:
    """Two choices in turn; of the second the last ``lost`` pieces are missing."""
    rows = [vllm({"content": w}, index=i) for k, w in enumerate(TEXT) for i in (0, 1) if not i or k < len(TEXT) - lost]
    return on(at([*rows, vllm({}, "stop"), vllm({}, "stop", index=1), DONE], 300, 31, seed=2), late)


def snapshots(reads: Reads, texts_: Sequence[str]) -> Reads:
    out, text = [reads[0]], ""
    for (t, _), word in zip(reads[1:], texts_, strict=False):
        text += word
        out.append((t, vllm({"content": text})))
    return [*out, *reads[len(texts_) + 1 :]]


def mixed(reads: Reads) -> Reads:
    """Pieces of another chat stand among ours."""
    alien = [
        (t + 11, part(w, ident="chatcmpl-77aa41d0c2be4f63")) for (t, _), w in zip(reads[20:40:4], OTHER, strict=False)
    ]
    return sorted([*reads, *alien], key=lambda row: row[0])


def two_faults(a: list[Capture], b: list[Capture]) -> list[Capture]:
    return rounds(2, {0: a, 1: b}, THREE)


STALLED = climb(paused(EVEN, 24, 5_500), route=THREE)
LOSING = climb(EVEN, "gateway", without(22), route=THREE)
RESET = climb(EVEN[:28], route=THREE, ends={"engine": "reset", "gateway": "cut", "proxy": "cut"})
AGAIN = [*EVEN[:26], *on(EVEN[23:], 60)]

CASES: dict[str, Unseen] = {
    # told and hidden
    "engine-error-swallowed-then-made-whole": fault(
        "error|truncation",
        "gateway-1",
        *chain(
            ("engine", BROKE),
            ("gateway-1", [*on(EVEN[:26], 3), (MID + 4, DONE)]),
            ("gateway-2", [*on(EVEN[:26], 6), (MID + 7, vllm({}, "stop")), (MID + 7.2, DONE)]),
        ),
    ),
    "engine-error-passed-on-and-swallowed-by-fastgpt": fault(
        "error|truncation",
        "app",
        hop("engine", [*paced(PLAIN)[:21], (1_530.0, OOM), (1_531.0, DONE)], headers=VLLM, **X),
        hop("gateway", on([*paced(PLAIN)[:21], (1_530.0, OOM), (1_531.0, DONE)], 4), headers=NGINX, **X),
        hop("app", paced(flowing(SHORT[:20], nodes=[NODE])), headers=NGINX, **FAST),
    ),
    "reset-told-in-band-then-hidden": fault(
        "reset|truncation",
        "engine",
        *chain(
            ("engine", EVEN[:26], "reset"),
            ("gateway-1", [*on(EVEN[:26], 3), (MID + 5, OOM)]),
            ("gateway-2", closes(on(EVEN[:26], 6))),
        ),
    ),
    "claude-overloaded-told-and-swallowed-by-fastgpt": fault(
        "error|truncation",
        "app",
        inside([*claudes(*block(0, "text", *texts(SHORT)))[:22], OVER], **MESSAGES),
        outside([*PLAIN[:21], sse({"error": {"message": "Overloaded", "type": "overloaded_error", "code": 529}})]),
        outside(flowing(SHORT[:20]), "app", 12.0, **FAST),
    ),
    "cut-at-the-engine-heard-by-all-five": fault(
        "truncation|reset", "engine", *climb(EVEN[:30], ends=dict.fromkeys(ROUTE, "cut"))
    ),
    "whole-json-passed-on-where-a-stream-was-asked": fault(
        "not-streamed",
        "engine",
        *[
            hop(
                n,
                [(4_100.0 + 3 * i, str(whole("".join(TEXT))).replace("'", '"').replace("None", "null").encode())],
                headers=(("content-type", "application/json"),),
                head_ms=4_099.0 + 3 * i,
                exchange="ex-5151",
            )
            for i, n in enumerate(THREE)
        ],
    ),
    # healed and hedged
    "slow-engine-left-for-another-before-a-word": fine(
        hop("engine", [], end="aborted", end_ms=4_000.0, detail=FRONT, headers=VLLM, exchange="ex-5152"),
        hop("gateway", on(EVEN, 4_100), headers=NGINX, exchange="ex-5152"),
        hop("proxy", on(EVEN, 4_103), headers=NGINX, exchange="ex-5152"),
    ),
    "hedged-the-slower-one-was-closed": fine(
        hop("engine", EVEN[:9], end="aborted", end_ms=EVEN[8][0] + 20, detail=FRONT, headers=VLLM, exchange="ex-5153"),
        hop("gateway", on(EVEN, -60), headers=NGINX, exchange="ex-5153"),
    ),
    "cut-and-carried-on-by-another-engine": fine(
        *chain(
            ("engine", EVEN[:26], "truncated"),
            ("gateway", [*on(EVEN[:26], 3), *on(EVEN[26:], 600)]),
            ("proxy", [*on(EVEN[:26], 6), *on(EVEN[26:], 603)]),
        )
    ),
    "reset-and-carried-on-with-a-new-id": fine(
        *chain(
            ("engine", EVEN[:26], "reset"),
            ("gateway", [*on(EVEN[:26], 3), *on(spoken(TEXT, id="chatcmpl-b7c2d9e1f0a34568")[26:], 400)]),
        )
    ),
    "in-band-error-and-carried-on": fine(
        *chain(("engine", BROKE), ("gateway", [*on(EVEN[:26], 3), *on(EVEN[26:], 500)]))
    ),
    "in-band-error-at-once-and-another-answers": fine(
        *chain(("engine", [(40.0, OOM), (41.0, DONE)]), ("gateway", on(EVEN, 300)), ("proxy", on(EVEN, 304)))
    ),
    "empty-200-and-another-answers": fine(
        hop("engine", [], end_ms=60.0, headers=VLLM, exchange="ex-5154"),
        hop("gateway", on(EVEN, 300), headers=NGINX, exchange="ex-5154"),
    ),
    "cut-and-closed-with-a-remark": fault(
        "truncation|reset",
        "engine",
        *chain(
            ("engine", EVEN[:26], "truncated"),
            (
                "gateway",
                [
                    *on(EVEN[:26], 3),
                    (MID + 9, vllm({"content": "\n\n[stream interrupted]"})),
                    (MID + 9.1, vllm({}, "stop")),
                    (MID + 9.2, DONE),
                ],
            ),
        ),
    ),
    "cut-and-begun-anew": fault(
        "reset|truncation|duplicate",
        "engine",
        *chain(("engine", EVEN[:26], "reset"), ("gateway", [*on(EVEN[:26], 3), *on(EVEN[1:], MID + 300)])),
    ),
    "503-and-the-fallback-is-cut-at-the-proxy": fault(
        "truncation|reset",
        "proxy",
        refusal("engine", 503, {"error": {"message": "overloaded"}}, exchange="ex-5155"),
        hop("gateway", on(EVEN, 300), headers=NGINX, exchange="ex-5155"),
        hop("proxy", on(EVEN, 304)[:30], end="truncated", headers=NGINX, exchange="ex-5155"),
    ),
    # stops
    "stopped-and-the-emitter-sees-a-reset": fine(
        stopped("engine", until(MID), "reset", MID + 19, "connection reset by peer", tap="emit"),
        stopped("gateway", on(until(MID), 3), "aborted", MID + 11, FRONT),
        stopped("app", on(until(MID), 5), "aborted", MID + 6, USER),
    ),
    "stopped-while-the-engine-slept": fine(
        stopped("engine", until(MID), "aborted", MID + 1_240, FRONT),
        stopped("gateway", on(until(MID), 3), "aborted", MID + 1_220, FRONT),
        stopped("app", on(until(MID), 5), "aborted", MID + 1_200, USER),
    ),
    "stopped-at-the-fourth-and-the-third-reads-on": fault(
        "not-cancelled",
        "app",
        *[stopped(n, on(LONG, 2 * i), "complete", LONG[-1][0] + 9) for i, n in enumerate(ROUTE[:3])],
        stopped("app", on([r for r in LONG if r[0] < MID], 8), "aborted", MID + 20, FRONT),
        stopped("proxy", on([r for r in LONG if r[0] < MID], 10), "aborted", MID + 14, USER),
    ),
    # two faults, or a fault and an oddity
    "clumps-at-the-gateway-swap-at-the-app": fault(
        "reorder",
        "app",
        *chain(("engine", LONG), ("gateway", on(sized(LONG, 6000), 4)), ("app", on(sized(swapped(90)(LONG), 6000), 8))),
    ),
    "slow-gateway-then-a-sleep-at-the-proxy": fault(
        "first-byte",
        "gateway",
        *chain(("engine", EVEN), ("gateway", on(EVEN, 3_100)), ("proxy", frozen(on(EVEN, 3_104), 4_500, 4_000))),
    ),
    "two-lengths-at-the-gateway-and-a-cut-at-the-proxy": fault(
        "truncation|reset",
        "proxy",
        hop("engine", EVEN, headers=VLLM, exchange="ex-5156"),
        hop(
            "gateway",
            on(EVEN, 4),
            exchange="ex-5156",
            headers=(
                ("content-type", "text/event-stream"),
                ("transfer-encoding", "chunked"),
                ("content-length", "13639"),
            ),
        ),
        hop("proxy", on(EVEN, 9)[:33], end="reset", headers=NGINX, exchange="ex-5156"),
    ),
    "stall-in-one-round-loss-in-the-next": fault("loss", "gateway", *two_faults(STALLED, LOSING)),
    "loss-in-one-round-stall-in-the-next": fault("loss", "gateway", *two_faults(LOSING, STALLED)),
    "loss-in-one-round-reset-in-the-next": fault("reset|truncation", "engine", *two_faults(LOSING, RESET)),
    "loss-in-three-rounds-of-four": fault("loss", "gateway", *rounds(4, {1: LOSING, 2: LOSING, 3: LOSING}, THREE)),
    "rounds-with-gaps-in-their-numbers": fine(
        *[replace(c, repeat=2 * (c.repeat or 0) + 1) for c in rounds(3, {}, THREE)]
    ),
    "engine-log-of-one-round-only": fine(
        *rounds(3, {}, THREE)[:1], *[c for c in rounds(3, {}, THREE) if c.hop != "engine"]
    ),
    # damage at a rung
    "line-ends-of-code-lost-at-the-second-gateway": fault(
        "loss|rewrite",
        "gateway-2",
        *climb(spoken(CODE * 2), "gateway-2", lambda r: [x for x in r if b'"content": "\\n"' not in x[1]]),
    ),
    "one-of-five-signs-lost-at-the-app": fault("loss|encoding", "app", *climb(spoken(FACES), "app", without(14))),
    "last-full-stop-lost-at-the-first-gateway": fault(
        "loss|truncation", "gateway-1", *climb(EVEN, "gateway-1", without(len(EVEN) - 3))
    ),
    "last-three-sent-again-after-a-reconnect": fault(
        "duplicate", "app", *chain(("engine", EVEN), ("gateway", on(EVEN, 3)), ("app", AGAIN), ("proxy", on(AGAIN, 3)))
    ),
    "another-chat-among-ours-at-the-app": fault(
        "interleave",
        "app",
        *chain(("engine", EVEN), ("gateway", on(EVEN, 3)), ("app", mixed(on(EVEN, 6))), ("proxy", mixed(on(EVEN, 9)))),
    ),
    "snapshots-from-the-second-gateway-on": fault(
        "duplicate", "gateway-2", *climb(EVEN, "gateway-2", lambda r: snapshots(r, TEXT))
    ),
    "second-choice-ends-early-at-the-second-gateway": fault(
        "loss|truncation",
        "gateway-2",
        *chain(
            ("engine", both()),
            ("gateway-1", both(0, 3)),
            ("gateway-2", both(14, 6)),
            ("proxy", both(14, 9)),
            request=BOTH,
        ),
    ),
    "finish-dropped-at-the-first-gateway": warn(
        "malformed|rewrite|truncation", "gateway-1", *climb(EVEN, "gateway-1", without(len(EVEN) - 2))
    ),
    "done-dropped-at-the-first-gateway-put-back-by-the-app": fine(
        *chain(("engine", EVEN), ("gateway-1", on(EVEN[:-1], 3)), ("app", on(EVEN, 6)), ("proxy", on(EVEN, 9)))
    ),
    "half-the-answer-in-one-lump-at-the-third": fault(
        "burst",
        "gateway-2",
        *climb(EVEN, "gateway-2", lambda r: flushed(r, [2_600.0, *[t for t, _ in r if t > 2_600]])),
    ),
    # recordings that lack something
    "no-heads-anywhere": fine(*[replace(c, head=None) for c in climb(EVEN)]),
    "no-requests-anywhere": fine(*[replace(c, request=None) for c in climb(EVEN)]),
    "no-ends-inside": fine(*[replace(c, end=c.end if c.hop == "proxy" else None) for c in climb(EVEN)]),
    "reads-of-seven-bytes-everywhere": fine(
        *[
            replace(c, times=hop("x", rows).times, ends=hop("x", rows).ends)
            for c in climb(EVEN, route=THREE)
            if (rows := [(t, d[i : i + 7]) for t, d in c.reads() for i in range(0, len(d), 7)])
        ]
    ),
    "three-clocks-none-of-which-agree-and-a-hole": fault(
        "loss",
        "proxy",
        hop("engine", EVEN, clock=BOX, sent_at="2026-03-03T08:15:00Z", exchange="ex-5157"),
        hop("gateway", on(EVEN, 9), clock=Clock("lan"), sent_at="2026-03-03T11:15:00+03:00", exchange="ex-5157"),
        hop(
            "proxy", on(without(40)(EVEN), 12), clock=Clock("edge"), sent_at="2026-03-03T08:02:00Z", exchange="ex-5157"
        ),
    ),
}
