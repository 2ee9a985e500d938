"""The dialects as they stand in the field's notes, decoded by our own decoder."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.capture.model import Capture, End, Head, stamped
from harness.lab.ask import read_ask
from harness.lab.plan import Plan
from harness.lab.source import make
from harness.wire.decode import decode
from harness.wire.stream import Stream

KNOBS = "[[lab events=5 rate=100]]"


def plan(dialect: str, **more: Any) -> Plan:
    body = {"model": "lab-steady", "stream": True, "messages": [{"role": "user", "content": KNOBS}], **more}
    return make(read_ask(dialect, {**body, "prompt": KNOBS}, {})).plan


def decoded(made: Plan, wire: str) -> Stream:
    body, times, ends = stamped((e.at, made.encode(e)) for e in made.emissions)
    head = Head(0.0, 200, "1.1", made.headers)
    return decode(Capture("engine", wire=wire, head=head, body=body, times=times, ends=ends, end=End(999, "complete")))


@pytest.mark.parametrize(
    ("dialect", "wire"),
    [
        ("chat", "openai"),
        ("completions", "openai"),
        ("fastgpt1", "fastgpt"),
        ("fastgpt2", "fastgpt"),
        ("ollama", "ollama"),
    ],
)
def test_the_text_comes_through_in_every_dialect(dialect: str, wire: str) -> None:
    stream = decoded(plan(dialect), wire)
    assert stream.text() == "t1 t2 t3 t4 t5"
    assert stream.finishes and stream.terminators and not stream.faults


def test_chat_begins_with_a_role_and_counts_only_when_asked() -> None:
    rows = [e.payload for e in plan("chat").emissions]
    assert rows[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert all("usage" not in row for row in rows[:-1]) and rows[-1] == "[DONE]"
    rows = [e.payload for e in plan("chat", stream_options={"include_usage": True}).emissions]
    assert rows[-2]["choices"] == [] and rows[-2]["usage"]["completion_tokens"] == 5
    options = {"include_usage": True, "continuous_usage_stats": True}
    rows = [e.payload for e in plan("chat", stream_options=options).emissions]
    assert [r["usage"]["completion_tokens"] for r in rows[1:6]] == [1, 2, 3, 4, 5]


def test_two_choices_are_interleaved_and_both_finish() -> None:
    stream = decoded(plan("chat", n=2), "openai")
    assert stream.text(choice=0) == stream.text(choice=1) == "t1 t2 t3 t4 t5"
    assert sorted(f.choice for f in stream.finishes) == [0, 1]


def test_tool_arguments_come_in_pieces_and_join_to_json() -> None:
    tools = [{"type": "function", "function": {"name": "get_weather"}}]
    stream = decoded(plan("chat", tools=tools), "openai")
    assert json.loads(stream.text("tool:0")) == {"city": "Berlin", "unit": "celsius"}
    assert stream.finishes[0].reason == "tool_calls"


def test_fastgpt_v1_with_detail_ends_with_flow_responses_after_done() -> None:
    rows = plan("fastgpt1", detail=True).emissions
    assert [e.event for e in rows[:2]] == ["flowNodeStatus", "answer"]
    assert [(e.event, e.kind) for e in rows[-2:]] == [("answer", "done"), ("flowResponses", "node")]
    assert rows[-1].payload[0]["outputTokens"] == 5


def test_fastgpt_v2_with_detail_reports_the_node_before_the_finish() -> None:
    rows = plan("fastgpt2", detail=True).emissions
    assert [(e.event, e.kind) for e in rows[-3:]] == [
        ("flowNodeResponse", "node"),
        ("answer", "finish"),
        ("answer", "done"),
    ]


def test_fastgpt_without_detail_has_no_event_lines_and_blank_ids() -> None:
    made = plan("fastgpt1")
    assert b"event:" not in made.body()
    assert {(e.payload["id"], e.payload["model"]) for e in made.emissions[:-1]} == {("", "")}


def test_fastgpt_beats_every_ten_seconds_with_an_empty_chunk() -> None:
    slow = {"messages": [{"role": "user", "content": "[[lab events=3 rate=0.1]]"}], "stream": True}
    beats = [e.at for e in make(read_ask("fastgpt1", slow, {})).plan.emissions if e.kind == "beat"]
    assert beats == [10_000.0, 20_000.0, 30_000.0]


def test_ollama_ends_with_counts_and_nanoseconds() -> None:
    made = plan("ollama")
    last = made.emissions[-1].payload
    assert last["done"] is True and last["eval_count"] == 5 and last["done_reason"] == "stop"
    assert 30_000_000 < last["eval_duration"] < 90_000_000
    assert made.headers == (("content-type", "application/x-ndjson"),)
    assert all(line for line in made.body().removesuffix(b"\n").split(b"\n"))


@pytest.mark.parametrize("dialect", ["chat", "completions", "fastgpt1", "ollama"])
def test_an_answer_that_is_not_streamed_is_one_object_with_the_same_text(dialect: str) -> None:
    made = plan(dialect, stream=False)
    whole = json.loads(made.body())
    choice = (whole.get("choices") or [{}])[0]
    message = whole.get("message") or choice.get("message") or {"content": choice.get("text")}
    assert message["content"] == "t1 t2 t3 t4 t5"
    assert made.transfer == "length"
