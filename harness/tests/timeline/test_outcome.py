"""One word for how an exchange ended."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from harness.tests.wire.build import capture, chunk, lines, sse
from harness.timeline.outcome import outcome
from harness.wire.decode import decode

TEXT, FINISH, DONE = chunk("a"), chunk(finish="stop"), "[DONE]"
ANSWER = json.dumps({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}).encode()


@pytest.mark.parametrize(
    ("events", "end", "expected"),
    [
        ((TEXT, FINISH, DONE), "complete", "done"),
        ((TEXT, FINISH), "complete", "done"),
        ((TEXT, DONE), "complete", "done"),
        ((TEXT,), "complete", "truncated"),
        ((), "complete", "truncated"),
        ((TEXT,), "truncated", "truncated"),
        ((TEXT, FINISH), "truncated", "truncated"),
        ((TEXT,), "reset", "reset"),
        ((), "reset", "reset"),
        ((TEXT,), "timeout", "timeout"),
        ((TEXT,), "aborted", "aborted"),
        ((TEXT, FINISH, DONE), "aborted", "done"),
        ((TEXT,), "open", "interrupted"),
        ((TEXT, FINISH), "open", "interrupted"),
        ((TEXT, FINISH, DONE), "open", "done"),
        ((TEXT,), None, "interrupted"),
        ((TEXT, FINISH, DONE), None, "done"),
        ((TEXT, {"error": {"message": "no"}}, DONE), "complete", "failed"),
        ((TEXT, {"error": {"message": "no"}}), "reset", "failed"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_came_and_how_it_ended_decide(events: tuple[Any, ...], end: str | None, expected: str) -> None:
    assert outcome(decode(capture(sse(*events), wire="openai", end=end))) == expected


def test_refused_is_failed_and_a_reset_after_the_head_is_not() -> None:
    assert outcome(decode(capture([], status=None, end="reset"))) == "failed"
    assert outcome(decode(capture([], end="reset"))) == "reset"
    assert outcome(decode(capture([], status=None, end="timeout"))) == "timeout"


@pytest.mark.parametrize("status", [401, 502])
def test_an_error_status_is_failed(status: int) -> None:
    assert outcome(decode(capture(sse(TEXT, DONE), status=status))) == "failed"


@pytest.mark.parametrize(
    ("body", "kind", "stream", "expected"),
    [
        (ANSWER, "application/json", False, "done"),
        (ANSWER, "application/json", True, "failed"),
        (ANSWER, "application/json", None, "failed"),
        (b'{"error":{"message":"no"}}', "application/json", False, "failed"),
        (b"<html>", "text/html", False, "failed"),
    ],
)
def test_what_is_no_stream_is_failed_unless_none_was_asked_for(
    body: bytes, kind: str, stream: bool | None, expected: str
) -> None:
    assert outcome(decode(capture(body, kind, stream=stream))) == expected


def test_a_whole_answer_that_was_cut_says_so() -> None:
    taken = capture(ANSWER, "application/json", stream=False, end="truncated")
    assert outcome(decode(taken)) == "truncated"


def test_ollamas_last_record_ends_it() -> None:
    records = ({"model": "m", "response": "a", "done": False}, {"model": "m", "response": "", "done": True})
    assert outcome(decode(capture(lines(*records), "application/x-ndjson"))) == "done"
    assert outcome(decode(capture(lines(records[0]), "application/x-ndjson"))) == "truncated"


def test_a_stream_of_somebody_elses_has_no_terminator_to_miss() -> None:
    assert outcome(decode(capture(sse("a", "b")))) == "done"


def test_a_tap_without_a_head_is_judged_by_its_events() -> None:
    assert outcome(decode(replace(capture(sse(TEXT, FINISH, DONE)), head=None))) == "done"
