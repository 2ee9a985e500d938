"""Faults that the recorded cases do not hold: each with a twin that stays clean."""

from __future__ import annotations

import json

from harness.tests.diagnose.build import DONE, SSE, answer, capture, chunk, codes, errors, numbered, spaced, told, usage

TEXT = "sand and stones come down from the hills with the water of the river in spring"
WORDS = [f"{word} " for word in TEXT.split(" ")]
JSON = (("content-type", "application/json"),)


def fastgpt(words: list[str]) -> list[bytes]:
    """Answer events without any id."""
    events = []
    for word in words:
        choice = {"delta": {"role": "assistant", "content": word}, "index": 0, "finish_reason": None}
        events.append(
            b"data: "
            + json.dumps({"id": "", "object": "", "created": 0, "model": "", "choices": [choice]}).encode()
            + b"\n\n"
        )
    return [*events, chunk(finish="stop", ident=""), DONE]


def test_another_answer_between_the_pieces_is_interleave_without_ids_too() -> None:
    foreign = ["once ", "upon ", "a ", "time ", "there "]
    mixed = [
        w for i, word in enumerate(WORDS) for w in ([word, foreign[i // 3]] if i % 3 == 1 and i // 3 < 5 else [word])
    ]
    found = told(capture(spaced(answer(WORDS))), capture(spaced(fastgpt(mixed)), hop="app"))
    assert (errors(found), found.verdict.first_bad_hop) == ({"interleave"}, "app")
    notice = told(capture(spaced(answer(WORDS))), capture(spaced(fastgpt([*WORDS, "Checked."])), hop="app"))
    assert errors(notice) == set()
    assert "rewrite.added" in codes(notice, "warning")


def test_clumps_of_an_engine_are_told_and_no_error() -> None:
    events = answer(numbered(30))
    clumped = capture([(200.0 + 400 * (i // 6), e) for i, e in enumerate(events)])
    found = told(clumped)
    assert errors(found) == set()
    assert "burst.rhythm" in codes(found, "warning")
    assert "burst.rhythm" not in codes(told(capture(spaced(events, gap=70))))


def test_an_error_document_under_status_200_is_an_error() -> None:
    body = b'{"error":{"message":"model not loaded","code":"x"}}'
    found = told(capture([(40.0, body)], headers=JSON))
    assert (errors(found), found.verdict.symptom) == ({"error"}, "error")
    assert "model not loaded" in found.verdict.summary
    hidden = told(capture([(40.0, body)], headers=JSON), capture([], hop="gateway"))
    assert hidden.verdict.first_bad_hop == "gateway"


def test_a_whole_answer_in_json_was_not_streamed() -> None:
    body = json.dumps({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}).encode()
    assert errors(told(capture([(900.0, body)], headers=JSON))) == {"not-streamed"}
    asked = {"model": "m", "stream": False}
    assert told(capture([(900.0, body)], headers=JSON, request=asked)).verdict.healthy is True


def test_headers_that_do_not_belong_are_warnings() -> None:
    good = spaced(answer(WORDS))
    for extra, code in ((("cache-control", "public, max-age=600"), "headers.cacheable"),):
        found = told(capture(good, headers=(("content-type", "text/event-stream"), extra)))
        assert found.verdict.healthy is True
        assert code in codes(found, "warning")
    assert not codes(told(capture(good)), "warning")


def test_usage_that_was_asked_for_and_dropped_is_a_warning() -> None:
    asked = {"model": "m", "stream": True, "stream_options": {"include_usage": True}}
    found = told(capture(spaced(answer(WORDS)), request=asked))
    assert "content.no-usage" in codes(found, "warning")
    whole = [*answer(WORDS, done=False), usage(len(WORDS)), DONE]
    assert not codes(told(capture(spaced(whole), request=asked)), "warning")


def test_more_pieces_than_tokens_is_a_warning() -> None:
    found = told(capture(spaced([*answer(WORDS, done=False), usage(5), DONE])))
    assert "content.usage" in codes(found, "warning")
    assert found.verdict.healthy is True


def test_tokens_without_any_text_are_a_loss() -> None:
    found = told(capture(spaced([chunk("", role="assistant"), chunk(finish="stop"), usage(40), DONE])))
    assert errors(found) == {"loss"}


def test_text_after_the_terminator_is_lost_to_readers() -> None:
    found = told(capture(spaced([*answer(WORDS[:5]), *answer(WORDS[5:])])))
    assert found.verdict.symptom == "malformed"


def test_a_header_that_lies_about_coding_is_an_error() -> None:
    found = told(capture(spaced(answer(WORDS)), headers=(*SSE, ("content-encoding", "gzip"))))
    assert errors(found) == {"headers"}


def test_a_stored_answer_played_back_is_a_warning() -> None:
    inner = capture(spaced(answer(WORDS), gap=200), exchange="one")
    outer = capture([(9.0, b"".join(answer(WORDS)))], hop="proxy", exchange="two")
    found = told(inner, outer)
    assert found.verdict.healthy is True
    assert "content.replay" in codes(found, "warning")
