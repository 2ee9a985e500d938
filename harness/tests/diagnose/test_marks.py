"""Times and numbers that engines write into their events: what they prove, and their healthy twins."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.diagnose.answer import Answer
from harness.tests.diagnose.build import DONE, NDJSON, capture, chunk, codes, errors, ollama, spaced, told

TEXT = "the sand and the stones come down from the hills with the water of the river"
WORDS = [f"{word} " for word in TEXT.split(" ")]


def at(second: int, text: str | None, ident: str = "chatcmpl-0123456789abcdef", **more: Any) -> bytes:
    event = json.loads(chunk(text, ident=ident, **more)[6:]) | {"created": 1_700_000_000 + second}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


def by_second(order: list[int] | None = None, seconds: Any = lambda i: i // 3) -> Answer:
    rows = [at(seconds(i), WORDS[i]) for i in order or range(len(WORDS))]
    return told(capture(spaced([*rows, at(9, None, finish="stop"), DONE], gap=300)))


def test_created_that_dips_and_comes_back_is_a_swap() -> None:
    assert by_second().verdict.healthy is True
    order = list(range(len(WORDS)))
    order[5], order[6] = 6, 5
    swapped = by_second(order)
    assert errors(swapped) == {"reorder"} and swapped.verdict.confidence == "likely"
    assert "clock" in (swapped.verdict.needs or "")


def test_created_that_falls_and_stays_is_another_clock() -> None:
    found = by_second(seconds=lambda i: 20 if i < 8 else 3)
    assert errors(found) == set() and "content.created-back" in codes(found, "warning")


def test_a_clock_that_was_set_back_is_no_swap() -> None:
    found = by_second(seconds=lambda i: i * 3 // 10 - (3 if i >= 5 else 0))
    assert errors(found) == set()


def test_a_last_chunk_with_the_time_of_the_request_is_healthy() -> None:
    rows = [at(i // 3, word) for i, word in enumerate(WORDS)]
    assert not codes(told(capture(spaced([*rows, at(0, None, finish="stop"), DONE], gap=300))))


def record(i: int, word: str, stamp: str = "2026-11-30T12:00:0{s}.{n}Z") -> bytes:
    fraction = f"{(i * 170_000_000) % 1_000_000_000:09d}".rstrip("0") or "0"  # as Go writes it
    return ollama(word, created_at=stamp.format(s=i * 17 // 100, n=fraction))


RECORDS = [record(i, word) for i, word in enumerate(WORDS)]
LAST = ollama(done=True, done_reason="stop", eval_count=len(WORDS), created_at="2026-11-30T12:00:09.5Z")


def records(rows: list[bytes]) -> Answer:
    return told(capture(spaced([*rows, LAST]), headers=NDJSON))


def test_the_times_of_ollama_prove_order_and_doubles() -> None:
    assert records(RECORDS).verdict.healthy is True
    assert errors(records([*RECORDS[:5], RECORDS[6], RECORDS[5], *RECORDS[7:]])) == {"reorder"}
    assert errors(records([*RECORDS[:6], RECORDS[5], *RECORDS[6:]])) == {"duplicate"}


def test_one_time_for_all_records_proves_nothing() -> None:
    same = [ollama(word, created_at="2026-11-30T12:00:00Z") for word in [*WORDS, "very ", "very "]]
    assert errors(records(same)) == set()


def block(kind: str, index: int, **more: Any) -> bytes:
    name = f"content_block_{kind}"
    return f"event: {name}\ndata: {json.dumps({'type': name, 'index': index} | more)}\n\n".encode()


def message(blocks: list[bytes]) -> Answer:
    start = {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": [], "model": "m"}}
    delta = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 12}}
    first, last = (f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in (start, delta))
    stop = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    return told(capture(spaced([first, *blocks, last, stop])))


def text_block(index: int, words: list[str]) -> list[bytes]:
    deltas = [block("delta", index, delta={"type": "text_delta", "text": word}) for word in words]
    opening = block("start", index, content_block={"type": "text", "text": ""})
    return [opening, *deltas, block("stop", index)]


ZERO, ONE = text_block(0, WORDS[:6]), text_block(1, WORDS[6:])


@pytest.mark.parametrize(
    ("blocks", "symptom"),
    [
        ([*ZERO, *ONE], ""),
        ([*ZERO, *ONE[1:]], "loss"),
        ([*ZERO[:-2], ZERO[-1], ZERO[-2], *ONE], "reorder"),
        ([*ZERO[:3], ZERO[0], *ZERO[3:], *ONE], "duplicate"),
        ([*ZERO[1:-1], *ONE[1:-1]], ""),
    ],
    ids=["whole", "start-lost", "stop-early", "start-again", "deltas-alone"],
)
def test_blocks_keep_their_book(blocks: list[bytes], symptom: str) -> None:
    assert errors(message(blocks)) == ({symptom} if symptom else set())


def test_a_block_that_was_taken_out_is_a_warning() -> None:
    found = message([*ZERO, *text_block(2, WORDS[6:])])
    assert errors(found) == set() and "loss.block" in codes(found, "warning")


def responses(pieces: list[str], whole: str = TEXT + " ") -> Answer:
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    rows: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_1", "model": "m"}},
        *({"type": "response.output_text.delta", "delta": piece} | place for piece in pieces),
        {"type": "response.output_text.done", "text": whole} | place,
        {"type": "response.completed", "response": {"id": "resp_1", "model": "m", "status": "completed"}},
    ]
    return told(capture(spaced([f"event: {r['type']}\ndata: {json.dumps(r)}\n\n".encode() for r in rows])))


@pytest.mark.parametrize(
    ("pieces", "symptom"),
    [
        (WORDS, ""),
        ([*WORDS[:5], *WORDS[6:]], "loss"),
        ([*WORDS[:5], WORDS[4], *WORDS[5:]], "duplicate"),
        ([*WORDS[:5], WORDS[6], WORDS[5], *WORDS[7:]], "reorder"),
    ],
    ids=["whole", "dropped", "doubled", "swapped"],
)
def test_the_whole_text_of_responses_is_held_against_its_pieces(pieces: list[str], symptom: str) -> None:
    assert errors(responses(pieces)) == ({symptom} if symptom else set())
