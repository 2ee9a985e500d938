"""A second engine in the middle, an answer begun anew, a stored answer, an end of thinking: each with a twin."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from harness.diagnose.answer import Answer
from harness.tests.diagnose.build import DONE, SSE, answer, capture, chunk, codes, errors, spaced, told

TEXT = "the sand and the stones come down from the hills with the water of the river and the sea takes them all in"
WORDS = [f"{word} " for word in TEXT.split(" ")]


def named(events: list[bytes], since: int, **fields: Any) -> list[bytes]:
    """The events with other fields from one of them on."""
    out = events[:since]
    for event in events[since:]:
        out.append(
            event if event == DONE else b"data: " + json.dumps(json.loads(event[6:]) | fields).encode() + b"\n\n"
        )
    return out


def judged(events: list[bytes]) -> Answer:
    return told(capture(spaced(events)))


@pytest.mark.parametrize("field", ["model", "system_fingerprint"])
def test_another_model_or_fingerprint_under_one_id_is_told(field: str) -> None:
    marked = named(answer(WORDS), 0, **{field: "first"})
    found = judged(named(marked, 8, **{field: "second"}))
    assert found.verdict.healthy is True
    change = next(f for f in found.findings if f.code == "content.model-changed")
    assert (change.severity, change.event) == ("warning", 8)
    assert (change.evidence["was"], change.evidence["now"]) == ("first", "second")
    for harmless in (named(marked, len(marked) - 2, **{field: "second"}), named(answer(WORDS), 5, **{field: "only"})):
        if field == "system_fingerprint" or harmless[5] == marked[5]:
            assert "content.model-changed" not in codes(judged(harmless))


def test_a_new_id_in_the_middle_is_a_second_upstream() -> None:
    found = judged(named(answer(WORDS), 8, id="chatcmpl-fedcba9876543210"))
    assert "content.second-upstream" in codes(found, "warning")


@pytest.mark.parametrize("seam", ["id", "role", "fingerprint"])
def test_an_answer_that_begins_anew_is_a_duplicate(seam: str) -> None:
    first, again = answer(WORDS[:9], finish=None, done=False), answer(WORDS, role=seam == "role")
    change = {"id": {"id": "chatcmpl-fedcba9876543210"}, "role": {}}
    events = [*first, *named(again, 0, **change.get(seam, {"system_fingerprint": "b"}))]
    found = judged(events)
    assert errors(found) == {"duplicate"}, seam
    restart = next(f for f in found.findings if f.code == "duplicate.restart")
    assert restart.evidence["chars"] >= len("".join(WORDS[:9]))


def test_an_answer_that_goes_on_after_the_seam_is_no_duplicate() -> None:
    rest = named(answer(WORDS[9:], role=False), 0, id="chatcmpl-fedcba9876543210")
    assert errors(judged([*answer(WORDS[:9], finish=None, done=False), *rest])) == set()


@pytest.mark.parametrize("habit", ["none", "a role in each chunk", "an id in each chunk", "created each second"])
def test_a_model_that_turns_in_a_circle_is_no_restart(habit: str) -> None:
    events = []
    for i, word in enumerate(WORDS * 6):
        if habit == "a role in each chunk":
            events += [chunk("", role="assistant"), chunk(word, role="assistant")]
        elif habit == "an id in each chunk":
            events.append(chunk(word, ident=f"chatcmpl-{i:016d}"))
        else:
            events += named([chunk(word)], 0, created=1_700_000_000 + (i // 4 if habit.startswith("created") else 0))
    assert errors(judged([*events, chunk(finish="stop"), DONE])) == set()


@pytest.mark.parametrize(
    "header", [("x-cache", "HIT"), ("age", "120"), ("cf-cache-status", "HIT"), ("x-cache", "Hit from cloudfront")]
)
def test_a_cache_that_names_itself_is_told(header: tuple[str, str]) -> None:
    found = told(capture(spaced(answer(WORDS)), headers=(*SSE, header)))
    assert "content.cache-hit" in codes(found, "warning")
    missed = told(capture(spaced(answer(WORDS)), headers=(*SSE, (header[0], "MISS" if header[0] != "age" else "0"))))
    assert "content.cache-hit" not in codes(missed)


def test_an_age_that_this_exchange_explains_is_no_cache() -> None:
    for age, stored in (("4", False), ("40", True)):
        found = told(capture(spaced(answer(WORDS), start=4200.0), headers=(*SSE, ("age", age)), head_ms=4200.0))
        assert ("content.cache-hit" in codes(found)) is stored


def test_an_answer_faster_than_any_model_is_told() -> None:
    at_once = capture([(12.0, b"".join(answer(WORDS)))])
    found = told(at_once)
    assert found.verdict.healthy is True and "content.replay-alone" in codes(found, "warning")
    stored = told(replace(at_once, sent_at="2023-11-14T23:00:00Z"))  # created at 22:13:20
    assert next(f for f in stored.findings if f.code == "content.replay-alone").evidence["made_before_s"] == 2800
    for reads in (spaced(answer(WORDS), start=12.0, gap=3.0), [(12.0, b"".join(answer(WORDS[:4])))]):
        assert "content.replay-alone" not in codes(told(capture(reads)))


def test_a_repeat_that_is_played_back_is_told() -> None:
    first = capture(spaced(answer(WORDS)), repeat=0)
    second = capture([(20.0, b"".join(answer(WORDS)))], repeat=1)
    found = told(first, second)
    replayed = [f for f in found.findings if f.code == "content.replay-repeat"]
    assert [(f.repeat, f.severity) for f in replayed] == [(1, "warning")]
    fresh = capture([(20.0, b"".join(answer(WORDS, ident="chatcmpl-fedcba9876543210")))], repeat=1)
    assert "content.replay-repeat" not in codes(told(first, fresh))
    same_seed = capture(spaced(answer(WORDS)), repeat=1)
    assert "content.replay-repeat" not in codes(told(first, same_seed))


def test_an_end_of_thinking_that_nothing_opened_is_told() -> None:
    thought = ["let ", "me ", "see\n", "</thi", "nk>\n\n", *WORDS]
    found = judged(answer(thought))
    close = next(f for f in found.findings if f.code == "content.think-end")
    assert (close.severity, close.evidence["thought"]) == ("warning", len("let me see\n"))
    quoted = judged(answer(["Write ", "</think> ", "at the end ", *WORDS]))
    assert "content.think-end" not in codes(quoted)


def test_the_same_thinking_in_its_own_channel_is_silent() -> None:
    events = [chunk(reasoning="let me see"), *answer(WORDS)]
    assert not {code for code in codes(judged(events)) if "think" in code}
