"""Hops that ask for themselves: agents between, streams asked whole, limits of their own, ends told twice."""

from __future__ import annotations

import json
from typing import Any

from harness.capture.model import Capture
from harness.tests.diagnose.unseen.bridges import FAST, NODE, PLAIN, SHORT, X, calls, flowing, inside, outside, paced
from harness.tests.diagnose.unseen.chains import BOTH, chain
from harness.tests.diagnose.unseen.kit import DONE, Reads, Unseen, at, fault, fine, hop, on, sse, warn, whole
from harness.tests.diagnose.unseen.rounds import EVEN, FRONT, LONG
from harness.tests.diagnose.unseen.rungs import NGINX, TEXT, climb, spoken
from harness.tests.diagnose.unseen.shapes import VLLM, fastgpt, vllm

JSON = (("content-type", "application/json"),)
ASKED_WHOLE: dict[str, Any] = {"model": "m", "stream": False, "messages": [{"role": "user", "content": "A tale."}]}
ASKED: dict[str, Any] = ASKED_WHOLE | {"stream": True}
LONGEST = spoken(TEXT * 12, gap=52)
ROUND = 30_000.0
BEFORE = [row for row in LONGEST if row[0] < ROUND - 20]
THREE_CHOICES = BOTH | {"n": 3}


def document(name: str, ms: float, **more: Any) -> Capture:
    body = json.dumps(whole("".join(TEXT))).encode()
    return hop(name, [(ms, body)], head_ms=ms - 1, headers=JSON, exchange="ex-7001", **more)


def triple(cut_at: int | None = None, late: float = 0.0) -> Reads:
    """Three choices of unlike length; ``cut_at``: the stream is closed when that choice is done."""
    rows: list[bytes] = []
    sizes = (20, 34, 48)
    for k in range(48):
        rows += [vllm({"content": TEXT[k]}, index=i) for i in range(3) if k < sizes[i]]
        rows += [vllm({}, "stop", index=i) for i in range(3) if k == sizes[i] - 1]
        if cut_at is not None and k == sizes[cut_at] - 1:
            break
    return on(at([*rows, DONE], 300, 27, seed=4), late)


def tooled(*, told: bool) -> list[bytes]:
    """FastGPT makes the call itself and answers with a second question to the model; ``told``: with its tool events."""
    tool = {"id": "call_0f3", "toolName": "weather", "functionName": "get_weather", "params": "", "response": ""}
    events = [sse({"status": "running", "name": "Agent"}, "flowNodeStatus")]
    if told:
        events += [
            sse({"tool": tool}, "toolCall"),
            sse({"tool": {"id": "call_0f3", "params": '{"city": "Bergen"}'}}, "toolParams"),
            sse({"tool": {"id": "call_0f3", "response": "12 degrees, rain"}}, "toolResponse"),
        ]
    events += [fastgpt(w, event="answer") for w in SHORT]
    return [*events, fastgpt(finish="stop", event="answer"), b"event: answer\ndata: [DONE]\n\n"]


CALLING = [vllm({"role": "assistant", "content": None}), *calls((0, 1, 2))[1:4], vllm({}, "tool_calls"), DONE]

CASES: dict[str, Unseen] = {
    # who asked for a stream, and who did not
    "gateway-asks-whole-and-makes-one-chunk": fault(
        "not-streamed|burst|first-byte",
        "gateway",
        document("engine", 4_300.0, request=ASKED_WHOLE),
        hop(
            "gateway",
            [
                (4_310.0, vllm({"role": "assistant", "content": "".join(TEXT)})),
                (4_310.4, vllm({}, "stop")),
                (4_310.8, DONE),
            ],
            headers=NGINX,
            exchange="ex-7001",
            request=ASKED,
        ),
    ),
    "gateway-asks-whole-and-hands-the-document-on": fault(
        "not-streamed",
        "gateway",
        document("engine", 4_300.0, request=ASKED_WHOLE),
        document("gateway", 4_310.0, request=ASKED),
        document("proxy", 4_314.0, request=ASKED),
    ),
    "gateway-collects-what-was-asked-whole": fine(
        hop("engine", EVEN, headers=VLLM, exchange="ex-7001", request=ASKED),
        document("gateway", EVEN[-1][0] + 9, request=ASKED_WHOLE),
        document("proxy", EVEN[-1][0] + 13, request=ASKED_WHOLE),
    ),
    # agents between
    "fastgpt-makes-the-call-itself": fine(
        inside(CALLING),
        hop(
            "app", [*on(paced(tooled(told=True))[:4], 5), *on(paced(tooled(told=True))[4:], 900)], headers=NGINX, **FAST
        ),
    ),
    "fastgpt-makes-the-call-itself-and-says-nothing-of-it": fine(
        inside(CALLING), hop("app", on(paced(tooled(told=False)), 900), headers=NGINX, **FAST)
    ),
    "app-runs-the-tool-and-tells-the-second-answer": fine(
        inside(CALLING),
        hop("app", on(paced(PLAIN), 1_400), headers=NGINX, **X),
        hop("proxy", on(paced(PLAIN), 1_404), headers=NGINX, **X),
    ),
    "app-tells-the-call-then-the-second-answer": fine(
        inside(CALLING), hop("app", on(paced([*CALLING[:4], *PLAIN[1:]]), 5), headers=NGINX, **X)
    ),
    "fastgpt-then-a-gateway-that-makes-ids": fine(
        inside(PLAIN), outside(flowing(SHORT, nodes=[NODE]), "app", **FAST), outside(PLAIN, "gateway", 12.0)
    ),
    "every-answer-event-and-its-fast-twin": fault(
        "duplicate",
        "app",
        inside(PLAIN),
        outside(
            [e for w in SHORT for e in (fastgpt(w, event="answer"), fastgpt(w, event="fastAnswer"))] + flowing([])[1:],
            "app",
            **FAST,
        ),
    ),
    # limits of a hop's own
    "proxy-cuts-at-30-s-and-all-behind-hear-it": fault(
        "truncation|reset",
        "proxy",
        *[
            hop(
                n,
                on(BEFORE, 3 * i),
                end="aborted",
                end_ms=ROUND + 12 - 3 * i,
                detail=FRONT,
                exchange="ex-7002",
                headers=VLLM if n == "engine" else NGINX,
            )
            for i, n in enumerate(("engine", "gateway", "app"))
        ],
        hop("proxy", on(BEFORE, 9), end="truncated", end_ms=ROUND + 2, exchange="ex-7002", headers=NGINX),
    ),
    "app-ends-cleanly-at-30-s-and-leaves-the-engine": fault(
        "truncation",
        "app",
        hop("engine", BEFORE, end="aborted", end_ms=ROUND + 4, detail=FRONT, exchange="ex-7003", headers=VLLM),
        hop("gateway", on(BEFORE, 3), end="aborted", end_ms=ROUND + 2, detail=FRONT, exchange="ex-7003", headers=NGINX),
        hop("app", on(BEFORE, 6), end="complete", end_ms=ROUND + 1, exchange="ex-7003", headers=NGINX),
    ),
    "gateway-has-a-limit-of-40-tokens": fault(
        "truncation|loss|rewrite",
        "gateway",
        *chain(
            ("engine", EVEN),
            ("gateway", [*on(EVEN[:41], 3), (EVEN[41][0] + 3, vllm({}, "length")), (EVEN[41][0] + 4, DONE)]),
            ("proxy", [*on(EVEN[:41], 6), (EVEN[41][0] + 6, vllm({}, "length")), (EVEN[41][0] + 7, DONE)]),
        ),
    ),
    "idle-timer-of-5-s-under-a-slow-engine": fault(
        "truncation|reset",
        "proxy",
        *climb(
            spoken(TEXT[:9], gap=6_100),
            "proxy",
            lambda r: r[:4],
            route=("engine", "gateway", "proxy"),
            ends={"proxy": "cut"},
        ),
    ),
    # ends
    "both-gateways-say-done": warn(
        "duplicate|malformed",
        "gateway-2",
        *chain(("engine", EVEN), ("gateway-1", on(EVEN, 3)), ("gateway-2", [*on(EVEN, 6), (EVEN[-1][0] + 6.4, DONE)])),
    ),
    "done-twice-and-once-again": warn(
        "duplicate|malformed",
        "gateway-1",
        *chain(("engine", EVEN), ("gateway-1", [*on(EVEN, 3), (EVEN[-1][0] + 3.4, DONE)]), ("gateway-2", on(EVEN, 6))),
    ),
    "filter-takes-the-finish-at-the-gateway": warn(
        "rewrite|content",
        "gateway",
        *chain(
            ("engine", EVEN),
            ("gateway", [*on(EVEN[:-2], 3), (EVEN[-2][0] + 3, vllm({}, "content_filter")), (EVEN[-1][0] + 3, DONE)]),
        ),
    ),
    "three-choices-well": fine(*chain(("engine", triple()), ("gateway", triple(None, 3)), request=THREE_CHOICES)),
    "three-choices-closed-with-the-first": fault(
        "truncation|loss",
        "gateway",
        *chain(("engine", triple()), ("gateway", triple(0, 3)), ("proxy", triple(0, 6)), request=THREE_CHOICES),
    ),
    "three-choices-closed-with-the-second": fault(
        "truncation|loss",
        "gateway",
        *chain(("engine", triple()), ("gateway", triple(1, 3)), request=THREE_CHOICES),
    ),
    "two-lengths-at-the-first-gateway-of-three": warn(
        "headers",
        "gateway-1",
        hop("engine", EVEN, headers=VLLM, exchange="ex-7004"),
        hop(
            "gateway-1",
            on(EVEN, 3),
            exchange="ex-7004",
            headers=(
                ("content-type", "text/event-stream"),
                ("transfer-encoding", "chunked"),
                ("content-length", "13639"),
            ),
        ),
        hop("gateway-2", on(EVEN, 6), exchange="ex-7004", headers=NGINX),
        hop("proxy", on(EVEN, 9), exchange="ex-7004", headers=NGINX),
    ),
    "hops-of-one-name": fine(
        hop("engine", LONG, headers=VLLM, exchange="ex-7005"),
        hop("proxy", on(LONG, 3), headers=NGINX, exchange="ex-7005"),
        hop("proxy", on(LONG, 6), headers=NGINX, exchange="ex-7005"),
    ),
    "hops-named-in-chinese": fine(
        hop("推理引擎", LONG, kind="engine", headers=VLLM, exchange="ex-7006"),
        hop("网关", on(LONG, 3), kind="gateway", headers=NGINX, exchange="ex-7006"),
    ),
}
