"""Field-level rewriting: what a gateway drops, renames, blanks, fills, adds and changes."""

from __future__ import annotations

import json

import pytest

from harness.capture.model import Capture, End, Head, stamped
from harness.runs.fields import rewritten
from harness.wire.decode import decode
from harness.wire.stream import Stream


def stream(*records: dict) -> Stream:
    reads = [(10.0 * n, b"data: " + json.dumps(record).encode() + b"\n\n") for n, record in enumerate(records)]
    body, times, ends = stamped([*reads, (500.0, b"data: [DONE]\n\n")])
    head = Head(5.0, 200, "1.1", (("content-type", "text/event-stream"),))
    return decode(Capture("h", head=head, body=body, times=times, ends=ends, end=End(501.0, "complete")))


def chunks(part: str = "content", **more) -> list[dict]:
    out = []
    for n in range(12):
        delta = {part: f"word{n} "}
        out.append({"id": "x", "model": "m", **more, "choices": [{"index": 0, "delta": delta, "logprobs": None}]})
    return out


def told(before: list[dict], after: list[dict]) -> list[tuple[str, str, str]]:
    return [(row.field, row.how, row.to) for row in rewritten([stream(*before)], [stream(*after)])]


def test_untouched_fields_and_passing_ids_are_no_rewriting():
    assert told(chunks(), chunks()) == []
    assert told(chunks(created=1), [c | {"id": "other"} for c in chunks(created=99)]) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (chunks(service="a"), chunks(), [("service", "dropped", "")]),
        (chunks(), chunks(provider="gw"), [("provider", "added", "")]),
        (chunks(), [c | {"model": ""} for c in chunks()], [("model", "blanked", "")]),
        (chunks(), [c | {"model": "gpt-x"} for c in chunks()], [("model", "changed", "")]),
        (chunks("reasoning"), chunks("reasoning_content"),
         [("choices[].delta.reasoning", "renamed", "choices[].delta.reasoning_content")]),
        (chunks(usage={"total": 12}), chunks(usage={"total": 0}), [("usage.total", "blanked", "")]),
        (chunks(usage={"total": 12}), chunks(usage={"total": 3}), [("usage.total", "changed", "")]),
    ],
    ids=["dropped", "added", "blanked", "changed", "renamed", "blanked-figure", "changed-figure"],
)  # fmt: skip
def test_each_kind_is_told(before, after, expected):
    assert told(before, after) == expected


def test_the_running_text_is_no_field_s_value():
    other = [c | {"choices": [{"index": 0, "delta": {"content": "else "}, "logprobs": None}]} for c in chunks()]
    assert told(chunks(), other) == []


def test_a_row_is_told_in_words():
    (row,) = rewritten([stream(*chunks())], [stream(*[c | {"model": "gpt-x"} for c in chunks()])])
    assert str(row) == 'model changed: "m" → "gpt-x"' and row.as_json()["how"] == "changed"


def test_what_is_no_json_is_passed_over():
    assert rewritten([stream()], [stream(*chunks())]) == []
