"""Token counts of the engine as proof: continuous usage, token ids and logprobs, with healthy twins of each."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from harness.diagnose.answer import Answer
from harness.tests.diagnose.build import DONE, capture, chunk, codes, errors, spaced, told, usage

TEXT = "the sand and the stones come down from the hills with the water of the river and the sea takes them all in"
WORDS = [f" {word}" for word in TEXT.split(" ")]


def counted(
    text: str | None, so_far: int, *, ids: int | None = None, logs: int | None = None, index: int = 0, **more: Any
) -> bytes:
    """A chunk as vLLM sends it with ``continuous_usage_stats`` (and ``return_token_ids``, or ``logprobs``)."""
    event = json.loads(chunk(text, index=index, **more)[6:])
    event["usage"] = {"prompt_tokens": 9, "completion_tokens": so_far, "total_tokens": 9 + so_far}
    if ids is not None:
        event["choices"][0]["token_ids"] = list(range(ids))
    if logs is not None:
        event["choices"][0]["logprobs"] = {"content": [{"token": "x", "logprob": -0.1}] * logs}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


def stream(pieces: list[tuple[str, int]], **more: Any) -> list[bytes]:
    """Pieces with the tokens that each holds, a role before and the end after them."""
    out, so_far = [counted("", 0, role="assistant")], 0
    for text, tokens in pieces:
        so_far += tokens
        out.append(counted(text, so_far, **dict.fromkeys(more, tokens)))
    return [*out, counted(None, so_far + 1, finish="stop", **dict.fromkeys(more, 1)), usage(so_far + 1), DONE]


def judged(events: list[bytes]) -> Answer:
    return told(capture(spaced(events)))


ONE_EACH = stream([(word, 1) for word in WORDS])
KNOWN = stream([(word, 1) for word in WORDS], ids=True)
LOGGED = stream([(word, 1) for word in WORDS], logs=True)
BY_FOUR = stream([("".join(WORDS[i : i + 2]), 4) for i in range(0, len(WORDS), 2)] * 2)


def without(events: list[bytes], at: int) -> list[bytes]:
    return [*events[:at], *events[at + 1 :]]


@pytest.mark.parametrize("events", [ONE_EACH, KNOWN, LOGGED, BY_FOUR], ids=["usage", "ids", "logprobs", "interval"])
def test_a_drop_is_a_jump_that_the_piece_cannot_hold(events: list[bytes]) -> None:
    assert errors(judged(events)) == set()
    for at in (5, 8):
        lost = judged(without(events, at))
        assert errors(lost) == {"loss"}, at
        assert "loss.tokens" in codes(lost, "error")
    sure = "likely" if events in (ONE_EACH, BY_FOUR) else "certain"
    assert lost.verdict.confidence == sure


def test_a_drop_before_a_long_word_is_doubted_and_told() -> None:
    """One long word may be two tokens: without ids nobody knows."""
    found = judged(without(ONE_EACH, 4))
    assert errors(found) == set() and "loss.tokens" in codes(found, "warning")
    assert errors(judged(without(KNOWN, 4))) == {"loss"}


@pytest.mark.parametrize("events", [ONE_EACH, KNOWN, BY_FOUR], ids=["usage", "ids", "interval"])
def test_a_swap_is_a_decrease_and_no_loss(events: list[bytes]) -> None:
    for at in (4, 9):
        swapped = judged([*events[:at], events[at + 1], events[at], *events[at + 2 :]])
        assert errors(swapped) == {"reorder"}
        assert swapped.verdict.confidence == "certain"


@pytest.mark.parametrize("events", [ONE_EACH, KNOWN, BY_FOUR], ids=["usage", "ids", "interval"])
def test_a_double_is_the_same_count_with_the_same_text(events: list[bytes]) -> None:
    doubled = judged([*events[:6], events[5], *events[6:]])
    assert errors(doubled) == {"duplicate"}
    late = judged([*events[:9], events[5], *events[9:]])
    assert "duplicate" in errors(late) and "loss" not in errors(late)
    every = judged([*[e for event in events for e in ([event, event] if b" " in event[6:] else [event])][:-2], DONE])
    assert "duplicate" in errors(every)


def test_token_ids_against_the_usage_at_the_end() -> None:
    events = [chunk("", role="assistant")]
    for i, word in enumerate(WORDS):
        event = json.loads(chunk(word)[6:])
        event["choices"][0]["token_ids"] = [i]
        events.append(b"data: " + json.dumps(event).encode() + b"\n\n")
    end = json.loads(chunk(finish="stop")[6:])
    end["choices"][0]["token_ids"] = [2]
    events += [b"data: " + json.dumps(end).encode() + b"\n\n", usage(len(WORDS) + 1), DONE]
    assert errors(judged(events)) == set()
    assert errors(judged(without(events, 7))) == {"loss"}


def merged() -> list[bytes]:
    """A sender that now and then puts two tokens into one piece."""
    pieces = [(word, 1) for word in WORDS * 2]
    pieces[6:8] = [(WORDS[6] + WORDS[7], 2)]
    pieces[20:22] = [("I'm", 2)]
    return stream(pieces)


def speculative() -> list[bytes]:
    dice, pieces, at = random.Random(7), [], 0
    while at < len(WORDS):
        size = dice.choice((1, 1, 2, 3, 4))
        pieces.append(("".join(WORDS[at : at + size]), len(WORDS[at : at + size])))
        at += size
    return stream(pieces)


def now_and_then() -> list[bytes]:
    """Usage that is brought up to date every fifth piece."""
    return [
        counted("", 0, role="assistant"),
        *(counted(word, i - i % 5) for i, word in enumerate(WORDS)),
        counted(None, len(WORDS), finish="stop"),
        DONE,
    ]


def split() -> list[bytes]:
    """A hop that cuts each piece in two and copies the usage."""
    rows = [(part, i + 1) for i, word in enumerate(WORDS) for part in (word[:2], word[2:]) if part]
    end = [counted(None, len(WORDS) + 1, finish="stop"), DONE]
    return [counted("", 0, role="assistant"), *(counted(text, n) for text, n in rows), *end]


HEALTHY = {
    "merged now and then": merged(),
    "speculative decoding": speculative(),
    "usage at the end alone": [*(chunk(word) for word in WORDS), chunk(finish="stop"), usage(len(WORDS)), DONE],
    "a placeholder everywhere": [*(counted(w, 1) for w in WORDS), counted(None, 1, finish="stop"), DONE],
    "one a chunk, never summed": [*(counted("ha ", 1) for _ in WORDS), counted(None, 1, finish="stop"), DONE],
    "brought up to date now and then": now_and_then(),
    "split with the usage copied": split(),
    "characters held back until whole": stream([*[(w, 1) for w in WORDS], ("🙂", 3), *[(w, 1) for w in WORDS]]),
    "thinking that is not shown": stream([(WORDS[0], 300), *[(w, 1) for w in WORDS[1:]]]),
    "thinking, then the answer": [
        *(counted(None, i + 1, reasoning=w) for i, w in enumerate(WORDS)),
        *(counted(w, len(WORDS) + i + 3) for i, w in enumerate(WORDS)),
        counted(None, 2 * len(WORDS) + 3, finish="stop"),
        DONE,
    ],
    "two choices, each with its own count": [
        *(counted(w, i + 1, index=c) for i, w in enumerate(WORDS) for c in (0, 1)),
        *(counted(None, len(WORDS) + 1, index=c, finish="stop") for c in (0, 1)),
        DONE,
    ],
    "two choices, one count for both": [
        *(counted(w, 2 * i + c + 1, index=c) for i, w in enumerate(WORDS) for c in (0, 1)),
        *(counted(None, 2 * len(WORDS) + 1, index=c, finish="stop") for c in (0, 1)),
        DONE,
    ],
    "a word said twice": stream([(w, 1) for word in WORDS for w in (word, word)]),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_counts_that_prove_nothing_raise_no_alarm(name: str) -> None:
    found = judged(HEALTHY[name])
    assert errors(found) == set(), [finding.summary for finding in found.findings]
    assert found.verdict.healthy is True


def test_a_gateway_that_merges_and_keeps_the_counts_is_healthy() -> None:
    pieces = [("".join(WORDS[i : i + 3]), 3) for i in range(0, len(WORDS), 3)]
    inner, outer = capture(spaced(ONE_EACH)), capture(spaced(stream(pieces), start=160, gap=60), hop="gateway")
    assert errors(told(inner, outer)) == set()
    assert errors(told(outer)) == set()
