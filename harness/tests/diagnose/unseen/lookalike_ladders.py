"""Good ladders, stops, calls and odd ends that look like faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.tests.diagnose.build import NDJSON, ollama
from harness.tests.diagnose.unseen.kit import (
    DONE,
    Reads,
    Unseen,
    at,
    call,
    claude,
    fine,
    flushed,
    hop,
    on,
    part,
    refusal,
    respond,
    sse,
    tale,
    words,
)
from harness.tests.diagnose.unseen.lookalikes import asked, cut

EVEN = at(tale(24))
A, B = words(24), words(24)[5:] + words(5)
OLLAMA = at([*[ollama(w) for w in words(20)], ollama(done=True, done_reason="stop", eval_count=20)])
ROLE, END = part("", role="assistant"), [part(finish="stop"), DONE]
CALLED = [part(finish="tool_calls"), DONE]
ABOUT_ERRORS = (
    "A status of 404 says that a page is not there; a proxy may answer 502 when what stands behind it is gone, and 504 "
    "when that is late. Read the Retry-After header before you ask again, wait a little longer each time, and give up "
    "in the end. Log what you did, so that whoever reads it at night knows the story. Circuit breakers do the same for "
    "whole services, and a good client tells its user in plain words what has happened and what to do."
)


def stop(inner: Reads, outer: Reads, inner_ms: float, outer_ms: float, inner_end: str = "complete") -> Unseen:
    return fine(
        hop("engine", inner, end=inner_end, end_ms=inner_ms), hop("gateway", outer, end="aborted", end_ms=outer_ms)
    )


def two(inner: Sequence[bytes], outer: Sequence[bytes]) -> Unseen:
    return fine(hop("engine", at(inner)), hop("gateway", at(outer, start=186)))


def other(reads: Reads) -> Reads:
    """The same words under another id: another exchange."""
    return [(t, data.replace(b"cmpl-1", b"cmpl-2")) for t, data in reads]


def texts(pieces: Sequence[str], **more: Any) -> list[bytes]:
    return [part(piece, **more) for piece in pieces]


def said(pieces: Sequence[str]) -> list[bytes]:
    return [ROLE, *texts(pieces), *END]


def made(seconds: int, text: str) -> bytes:
    """A chunk with a time of its own."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return sse({"id": "cmpl-1", "created": 1770000000 + seconds, "choices": [choice]})


def fastgpt(content: str | None = None, finish: str | None = None) -> bytes:
    delta = {} if content is None else {"role": "assistant", "content": content}
    choice = {"delta": delta, "index": 0, "finish_reason": finish}
    return sse({"id": "", "object": "", "created": 0, "model": "", "choices": [choice]}, "answer")


def used(completion: int) -> bytes:
    counts = {"prompt_tokens": 4, "completion_tokens": completion, "total_tokens": 4 + completion}
    return sse({"id": "cmpl-1", "choices": [], "usage": counts})


def thought(pieces: Sequence[str]) -> list[bytes]:
    return [part(reasoning_content=piece) for piece in pieces]


CASES: dict[str, Unseen] = {
    "ollama-asked-twice-one-left": fine(
        hop("engine", OLLAMA, headers=NDJSON, exchange="a"),
        hop("gateway", OLLAMA[:4], headers=NDJSON, end="aborted", end_ms=500.0, exchange="b"),
    ),
    "asked-twice-one-left": fine(hop("engine", EVEN), hop("gateway", other(EVEN[:5]), end="aborted", end_ms=600.0)),
    "left-just-before-the-end": stop(EVEN, on(EVEN[:-3], 3), EVEN[-1][0], EVEN[-3][0]),
    "left-after-finish": stop(EVEN, on(EVEN[:-1], 3), EVEN[-1][0], EVEN[-1][0] + 5),
    "left-and-the-engine-was-told": stop(EVEN[:10], on(EVEN[:10], 3), 1100.0, 1090.0, "aborted"),
    "refused-then-answered-elsewhere": fine(
        refusal("engine", 429, {"error": {"message": "Too many requests"}}), hop("gateway", on(EVEN, 400))
    ),
    "refused-then-an-answer-about-errors": fine(
        refusal("engine", 500, {"error": {"message": "CUDA out of memory"}}),
        hop("gateway", at(said(cut(ABOUT_ERRORS)), start=480)),
    ),
    "thinking-made-a-channel": two(said(["<think>", *A[:8], "</think>", *B]), [ROLE, *thought(A[:8]), *said(B)[1:]]),
    "thinking-put-between-tags": two(
        [ROLE, *thought(A[:8]), *said(B)[1:]], said(["<think>\n", *A[:8], "\n</think>\n", *B])
    ),
    "citations-taken-out": two(said([*A, "[67e517e74767063e882d6861](CITE)", "."]), said([*A, "."])),
    "last-blank-trimmed": two(said(A), said([*A[:-1], A[-1].strip()])),
    "stop-mark-taken-out": two(said([*A, "<|im_end|>"]), said(A)),
    "end-of-sentence-taken-out": two(said([*A, "<｜end▁of▁sentence｜>"]), said(A)),
    "line-ends-made-plain": two(said([w + "\r\n" for w in A[:8]]), said([w + "\n" for w in A[:8]])),
    "no-arguments-made-an-object": two(
        [call(0, "", name="now", ident="c1"), *CALLED], [call(0, "{}", name="now", ident="c1"), *CALLED]
    ),
    "null-arguments-made-an-object": two(
        [call(0, "null", name="now", ident="c1"), *CALLED], [call(0, "{}", name="now", ident="c1"), *CALLED]
    ),
    "arguments-spelt-anew": two(
        [call(0, '{"a":1,"b":"\\u00e9"}', name="f", ident="c1"), *CALLED],
        [call(0, '{"b": "é", "a": 1}', name="f", ident="c9"), *CALLED],
    ),
    "name-in-two-pieces": fine(
        hop(
            "engine",
            at([call(0, "", name="get_", ident="c1"), call(0, "", name="weather"), call(0, '{"c": 1}'), *CALLED]),
        )
    ),
    "two-dice-and-no-ids-but-their-name": fine(
        hop("engine", at([call(i, '{"n": 6}', name="roll", ident="roll") for i in (0, 1)] + CALLED))
    ),
    "two-dice": fine(hop("engine", at([call(i, "{}", name="roll", ident=f"c{i}") for i in (0, 1)] + CALLED))),
    "one-die-and-two-in-another-sample": fine(
        hop("engine", at([call(0, "{}", name="roll", ident="a"), *CALLED]), exchange="1"),
        hop("gateway", at([call(i, "{}", name="roll", ident=f"b{i}") for i in (0, 1)] + CALLED), exchange="2"),
    ),
    "batches-of-50-ms": fine(
        hop("engine", at(tale(60), gap=15)),
        hop("gateway", flushed(at(tale(60), gap=15), [100 + 50.0 * i for i in range(60)])),
    ),
    "slowed-to-reading-pace": fine(
        hop("engine", at(tale(60), gap=15)), hop("gateway", at(tale(60), start=185, gap=40))
    ),
    "beats-and-a-first-token-after-8-s": fine(
        hop("engine", [(t, b": keep-alive\n\n") for t in (1e3, 3e3, 5e3, 7e3)] + at(tale(20), start=8000))
    ),
    "call-cut-at-the-limit": fine(
        hop("engine", at([call(0, '{"city": "Ber', name="get", ident="c1"), part(finish="length"), DONE]))
    ),
    "custom-tool-with-plain-text": fine(
        hop(
            "engine",
            at(
                [
                    part(
                        tool_calls=[
                            {"index": 0, "id": "c1", "type": "custom", "custom": {"name": "run", "input": "print(1)"}}
                        ]
                    ),
                    *CALLED,
                ]
            ),
        )
    ),
    "code-for-an-interpreter": fine(
        hop(
            "engine",
            at(
                [
                    *respond(A[:3]),
                    *[
                        sse({"type": kind, "item_id": "ci_1", "output_index": 1, "delta": code}, kind)
                        for kind in ("response.code_interpreter_call_code.delta",)
                        for code in ("import math\n", "print(math.pi)")
                    ],
                    *respond([], last={"status": "completed", "output": []})[1:],
                ]
            ),
        )
    ),
    "meter-without-a-number": fine(
        hop(
            "engine",
            at([*said(A)[:-1], used(24).replace(b'"usage"', b'"metrics": {"tps": NaN}, "usage"'), DONE]),
        )
    ),
    "clock-set-back-by-three-seconds": fine(
        hop("engine", at([*[made(i - 3 * (i > 9), w) for i, w in enumerate(A)], *END], gap=1000))
    ),
    "many-tokens-a-piece": fine(hop("engine", at([*said(A)[:-1], used(60), DONE]))),
    "slow-start-then-even": fine(hop("engine", on(EVEN, 2300)), hop("gateway", on(EVEN, 2390))),
    "gateway-adds-a-little": fine(hop("engine", EVEN), hop("gateway", on(EVEN, 200))),
    "first-three-together": fine(
        hop("engine", EVEN), hop("gateway", [(max(t + 3, EVEN[2][0] + 3), data) for t, data in EVEN])
    ),
    "cold-and-warm-samples": fine(
        hop("engine", at(tale(24), start=900), exchange="a"),
        hop("gateway", other(at(tale(24), start=200)), exchange="b"),
    ),
    "pause-of-1900-ms": fine(hop("engine", [(t + 1900 * (i > 12), data) for i, (t, data) in enumerate(EVEN)])),
    "claude-refuses": fine(hop("engine", at(claude(["I ", "cannot."], reason="refusal")))),
    "claude-pauses-its-turn": fine(hop("engine", at(claude(A, reason="pause_turn")))),
    "responses-incomplete": fine(
        hop(
            "engine",
            at(respond(A, last={"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}})),
        )
    ),
    "two-choices-one-shorter": fine(
        hop(
            "engine",
            at(
                [
                    *texts(A[:5]),
                    *texts(B[:3], index=1),
                    part(finish="stop", index=1),
                    *texts(A[5:]),
                    part(finish="length"),
                    DONE,
                ]
            ),
            request=asked("twice", n=2),
        )
    ),
    "nothing-to-say": fine(hop("engine", at([ROLE, *END]))),
    "nothing-to-say-and-its-usage": fine(hop("engine", at([ROLE, part(finish="stop"), used(1), DONE]))),
    "answers-about-failure": fine(
        hop("engine", at(said(cut("An error occurred means that a request failed; try again later."))))
    ),
    "answers-with-an-error-as-json": fine(hop("engine", at(said(cut('{"error": {"message": "bad", "code": 500}}'))))),
    "answers-with-lines-of-data": fine(
        hop("engine", at(said(["data: ", '{"a": 1}', "\n\n", "data: [DONE]", "\n\n", "event: x"])))
    ),
    "node-failed-and-was-caught": fine(
        hop(
            "gateway",
            at(
                [
                    sse({"status": "running", "name": "HTTP"}, "flowNodeStatus"),
                    *[fastgpt(w) for w in A],
                    fastgpt(finish="stop"),
                    b"event: answer\n" + DONE,
                    sse(
                        [
                            {"nodeId": "n1", "moduleName": "HTTP", "moduleType": "httpRequest468", "error": "timeout"},
                            {"nodeId": "n2", "moduleName": "AI", "moduleType": "chatNode"},
                        ],
                        "flowResponses",
                    ),
                ]
            ),
            wire="fastgpt",
        )
    ),
}
