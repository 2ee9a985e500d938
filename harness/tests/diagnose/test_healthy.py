"""Streams that look odd and hurt nobody: no error, and a healthy verdict."""

from __future__ import annotations

import json

import pytest

from harness.capture.model import Capture
from harness.tests.diagnose.build import (
    DONE,
    NDJSON,
    answer,
    capture,
    chunk,
    errors,
    numbered,
    ollama,
    spaced,
    told,
    usage,
)
from harness.tests.diagnose.transforms import faithful

PROSE = [
    f"{word} "
    for word in [
        "the",
        "river",
        "runs",
        "down",
        "to",
        "the",
        "sea",
        "and",
        "the",
        "sea",
        "runs",
        "up",
        "to",
        "the",
        "river",
        "again",
    ]
]


def tool(index: int, arguments: str, **more: str) -> bytes:
    call = {"index": index, "function": {"arguments": arguments, **more}} | ({"id": f"call_{index}"} if more else {})
    return chunk(tool_calls=[call])


ODD: dict[str, Capture] = {
    "doubled-words": capture(spaced(answer(["very ", "very ", "very ", "good "]))),
    "count-down": capture(spaced(answer([f"{i} " for i in range(10, 0, -1)]))),
    "counts-twice": capture(spaced(answer([f"{i} " for i in (1, 2, 3, 4, 5) * 2]))),
    "shuffled-list": capture(spaced(answer([f"{i} " for i in (7, 2, 9, 4, 1, 8, 3, 10, 6, 5)]))),
    "primes": capture(spaced(answer([f"{i}, " for i in (2, 3, 5, 7, 11, 13, 17, 19)]))),
    "years": capture(
        spaced(answer(["in", "1914", "and", "1918", "and", "1939", "and", "1945", "there", "was", "war"]))
    ),
    "even-numbers": capture(spaced(answer([f"{i} " for i in range(2, 40, 2)]))),
    "slow-and-steady": capture(spaced(answer(PROSE), start=3000, gap=4000)),
    "lone-gap": capture(
        [(100.0, chunk("a ")), (17000.0, chunk("b ")), (17010.0, chunk(finish="stop")), (17011.0, DONE)]
    ),
    "stopped-by-us": capture(spaced(answer(PROSE)[:8]), end="aborted", detail="closed by us"),
    "stopped-before-the-head": capture([], status=None, end="aborted", end_ms=400.0),
    "closed-at-the-terminator": capture(spaced(answer(PROSE)), end="aborted"),
    "open-at-the-terminator": capture(spaced(answer(PROSE)), end="open"),
    "finish-with-the-last-token": capture(
        spaced([*answer(PROSE[:-1], finish=None, done=False), chunk(PROSE[-1], finish="stop"), DONE])
    ),
    "length-limit": capture(spaced(answer(PROSE, finish="length"))),
    "usage-after-finish": capture(spaced([*answer(PROSE, done=False), usage(len(PROSE) + 1), DONE])),
    "two-choices": capture(
        spaced(
            [
                e
                for a, b in zip(
                    answer(PROSE, finish="stop", done=False),
                    answer(numbered(16), finish="stop", done=False, index=1),
                    strict=True,
                )
                for e in (a, b)
            ]
            + [DONE]
        )
    ),
    "ids-by-choice": capture(
        spaced(
            [
                e
                for a, b in zip(
                    answer(PROSE, done=False, ident="chatcmpl-aaaaaaaaaaaaaaaa"),
                    answer(PROSE, done=False, index=1, ident="chatcmpl-bbbbbbbbbbbbbbbb"),
                    strict=True,
                )
                for e in (a, b)
            ]
            + [DONE]
        )
    ),
    "two-tools": capture(
        spaced(
            [
                chunk("", role="assistant"),
                tool(0, "", name="f"),
                tool(1, "", name="g"),
                tool(0, '{"a":'),
                tool(1, '{"b":'),
                tool(0, "1}"),
                tool(1, "2}"),
                chunk(finish="tool_calls"),
                DONE,
            ]
        )
    ),
    "tool-without-arguments": capture(spaced([tool(0, "", name="now"), chunk(finish="tool_calls"), DONE])),
    "thinking": capture(
        spaced(
            [
                chunk("", role="assistant"),
                *[chunk(reasoning=w) for w in PROSE],
                *[chunk(w) for w in PROSE],
                chunk(finish="stop"),
                DONE,
            ]
        )
    ),
    "non-stream-asked": capture(
        [
            (
                900.0,
                json.dumps(
                    {
                        "id": "x",
                        "object": "chat.completion",
                        "choices": [
                            {"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}
                        ],
                    }
                ).encode(),
            )
        ],
        headers=(("content-type", "application/json"),),
        request={"model": "m", "stream": False, "messages": []},
    ),
    "ollama": capture(
        spaced([ollama(w) for w in PROSE] + [ollama(done=True, done_reason="stop", eval_count=17)]), headers=NDJSON
    ),
    "several-tokens-a-piece": capture(
        spaced([*answer([" ".join(PROSE[i : i + 4]) for i in range(0, 16, 4)], done=False), usage(40), DONE])
    ),
    "many-small-bursts": capture([(100.0 + 60 * (i // 3), e) for i, e in enumerate(answer(PROSE))]),
    "prefill-then-fast": capture(spaced(answer(PROSE), start=6000, gap=8)),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_but_harmless(name: str) -> None:
    found = told(ODD[name])
    assert errors(found) == set(), [f.summary for f in found.findings]
    assert found.verdict.healthy is True


@pytest.mark.parametrize("name", ODD)
def test_odd_but_harmless_behind_another_hop(name: str) -> None:
    inner = ODD[name]
    found = told(inner, faithful(inner, "proxy", 4))
    assert errors(found) == set(), [f.summary for f in found.findings]
    assert found.verdict.healthy is True


def rewritten(events: list[bytes], **more: str) -> list[bytes]:
    """The same chunks as a gateway writes them anew: another id, model and key order."""
    out = []
    for event in events:
        if event == DONE:
            out.append(event)
            continue
        old = json.loads(event[6:])
        new = {"model": "other", "choices": old["choices"], "id": old["id"], "created": old["created"] + 1}
        out.append(b"data: " + json.dumps(new).encode() + b"\n\n")
    return out


def test_a_gateway_that_writes_anew_is_no_culprit() -> None:
    inner = capture(spaced(answer(PROSE)))
    outer = capture(spaced(rewritten(answer(PROSE)), start=104), hop="gateway")
    found = told(inner, outer)
    assert found.verdict.healthy is True
    changes = next(f for f in found.findings if f.code == "rewrite.events")
    assert changes.severity == "info"
    assert changes.evidence["model_changed"] == ["m", "other"]
    assert "object" in changes.evidence["fields_dropped"]
    assert "rewrite.events" not in {f.code for f in told(inner, faithful(inner, "proxy", 4)).findings}


def test_merged_pieces_are_no_loss() -> None:
    inner = capture(spaced(answer(PROSE)))
    pairs = ["".join(PROSE[i : i + 2]) for i in range(0, len(PROSE), 2)]
    outer = capture(spaced(answer(pairs), start=125, gap=40), hop="gateway")
    assert told(inner, outer).verdict.healthy is True


def test_two_samples_of_one_prompt_are_not_held_against_the_hop() -> None:
    words = [
        "once",
        "there",
        "was",
        "a",
        "boat",
        "that",
        "went",
        "down",
        "a",
        "long",
        "river",
        "to",
        "a",
        "town",
        "by",
        "the",
        "sea",
        "where",
        "it",
        "stayed",
    ]
    other = [
        "once",
        "there",
        "was",
        "a",
        "miller",
        "who",
        "owned",
        "three",
        "sons",
        "and",
        "a",
        "mill",
        "and",
        "a",
        "donkey",
        "and",
        "a",
        "very",
        "old",
        "cat",
    ]
    inner = capture(spaced(answer([f"{w} " for w in words], ident="chatcmpl-aaaaaaaaaaaaaaaa")), exchange="one")
    outer = capture(
        spaced(answer([f"{w} " for w in other], ident="chatcmpl-bbbbbbbbbbbbbbbb")), hop="gateway", exchange="two"
    )
    found = told(inner, outer)
    assert errors(found) == set()
    assert "rewrite.sampled" in {f.code for f in found.findings}


def test_tool_calls_translated_from_ollama_are_equal() -> None:
    call = [{"function": {"name": "count", "arguments": {"to": 5}}}]
    record = {"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": call}, "done": False}
    inner = capture(
        spaced([json.dumps(record).encode() + b"\n", ollama(done=True, done_reason="stop")]), headers=NDJSON
    )
    outer = capture(
        spaced([tool(0, "", name="count"), tool(0, '{"to": 5}'), chunk(finish="tool_calls"), DONE]), hop="gateway"
    )
    assert told(inner, outer).verdict.healthy is True


def test_a_stop_that_reached_the_engine_is_healthy() -> None:
    inner = capture(
        spaced(answer(numbered()))[:9], end="aborted", end_ms=270.0, exchange="x", sent_at="2026-01-01T00:00:00.002Z"
    )
    outer = capture(
        spaced(answer(numbered()))[:8],
        hop="app",
        end="aborted",
        end_ms=250.0,
        exchange="x",
        sent_at="2026-01-01T00:00:00Z",
    )
    found = told(inner, outer)
    assert found.verdict.healthy is True
