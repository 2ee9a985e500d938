"""Anything may be fed in: an answer or one clear sentence comes out, in time."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from dataclasses import replace
from time import process_time
from typing import Any

import pytest

from harness.capture.model import Capture, End, Head
from harness.diagnose.run import diagnose
from harness.errors import InputError
from harness.tests.diagnose.build import DONE, answer, capture, chunk, errors, numbered, spaced, told
from harness.tests.diagnose.transforms import faithful

NAN = float("nan")
GOOD = capture(spaced(answer(numbered())))
WRECKS: dict[str, Capture] = {
    "zero-events": capture([]),
    "nothing-at-all": Capture("engine"),
    "no-end": capture(spaced(answer(numbered())), end=None),
    "only-heartbeats": capture(spaced([b": ping\n\n"] * 30, gap=1000)),
    "nan-stamps": replace(
        GOOD, times=array("d", [NAN] * len(GOOD.times)), end=End(NAN, "complete"), head=Head(NAN, 200)
    ),
    "backwards": replace(GOOD, times=array("d", reversed(GOOD.times))),
    "infinite": replace(GOOD, times=array("d", [float("inf")] * len(GOOD.times))),
    "garbage": capture([(1.0, random.Random(1).randbytes(5000))]),
    "stamps-without-bytes": replace(GOOD, body=None),
    "deep-json": capture([(1.0, b"data: " + b"[" * 3000 + b"]" * 3000 + b"\n\n")]),
    "wrong-types": capture(
        spaced([b'data: {"choices": 5}\n\n', b'data: {"choices": [null, 3]}\n\n', b"data: []\n\n", b"data: 1\n\n"])
    ),
    "only-terminator": capture([(5.0, DONE)]),
    "only-done-twice": capture([(5.0, DONE), (6.0, DONE)]),
    "finish-only": capture(spaced([chunk(finish="stop"), DONE])),
    "huge-index": capture(spaced([chunk("a ", index=10**12), chunk("b ", index=-4), DONE])),
    "status-zero": capture([], status=0),
}


@pytest.mark.parametrize("name", WRECKS)
def test_a_wreck_gets_an_answer(name: str, answer_schema: Callable[[Any], None]) -> None:
    for captures in ([WRECKS[name]], [GOOD, WRECKS[name]], [WRECKS[name], GOOD], [WRECKS[name], WRECKS[name]]):
        answer_schema(diagnose(captures).as_json())


@pytest.mark.parametrize("seed", range(60))
def test_any_cut_of_any_stream_gets_an_answer(seed: int, answer_schema: Callable[[Any], None]) -> None:
    rng = random.Random(seed)
    captures = []
    for hop in ("engine", "gateway"):
        body = bytearray(b"".join(answer(numbered(rng.randrange(0, 30)))))
        for _ in range(rng.randrange(0, 6)):
            if body:
                body[rng.randrange(len(body))] = rng.randrange(256)
        cut = bytes(body[: rng.randrange(len(body) + 1)])
        reads = [(rng.uniform(0, 5000), cut[i : i + 97]) for i in range(0, len(cut), 97)]
        end = rng.choice(("complete", "truncated", "reset", "timeout", "aborted", "open", None))
        captures.append(capture(reads, hop=hop, end=end, status=rng.choice((200, 200, 200, 500, None))))
    answer_schema(diagnose(captures).as_json())


def test_nothing_to_diagnose_is_one_sentence() -> None:
    with pytest.raises(InputError, match="nothing to diagnose"):
        diagnose([])


def test_only_heartbeats_are_no_progress() -> None:
    assert errors(told(WRECKS["only-heartbeats"])) & {"first-byte", "truncation"}


def test_different_wires_are_compared_by_their_text() -> None:
    from harness.tests.diagnose.build import NDJSON, ollama

    inner = capture(spaced([ollama(w) for w in numbered()] + [ollama(done=True, done_reason="stop")]), headers=NDJSON)
    assert told(inner, capture(spaced(answer(numbered())), hop="gateway")).verdict.healthy is True
    lossy = [w for i, w in enumerate(numbered()) if i != 9]
    assert errors(told(inner, capture(spaced(answer(lossy)), hop="gateway"))) == {"loss"}


def test_a_hundred_thousand_events_take_seconds_at_most() -> None:
    """CPU time of the diagnosis itself, with much room for slow machines; measured 0.6 s alone, 1.5 s for a pair."""
    inner = capture(spaced(answer([f"w{i} " for i in range(100_000)]), gap=1.0))
    began = process_time()
    assert diagnose([inner]).verdict.healthy is True
    assert diagnose([inner, faithful(inner, "gateway", 1)]).verdict.healthy is True
    assert process_time() - began < 20


def test_repeats_are_judged_each_and_told_together() -> None:
    sick = capture(spaced(answer(numbered()[:9], finish=None, done=False)), end="reset")
    found = diagnose([replace(GOOD, repeat=0), replace(sick, repeat=1), replace(GOOD, repeat=2)])
    assert [row["repeat"] for row in found.captures] == [0, 1, 2]
    assert {f.repeat for f in found.findings if f.severity == "error"} == {1}
    assert "1 of 3" in found.verdict.summary
    assert found.verdict.first_bad_hop == "engine"
