"""Anthropic's Messages events."""

from __future__ import annotations

from typing import Any

from harness.tests.wire.build import capture, sse
from harness.wire.decode import decode
from harness.wire.stream import Kind, Stream


def event(kind: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return kind, {"type": kind} | more


def delta(index: int, kind: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return event("content_block_delta", index=index, delta={"type": kind} | more)


def read(*events: Any) -> Stream:
    return decode(capture(sse(*events)))


def test_a_whole_exchange() -> None:
    stream = read(
        event("message_start", message={"id": "m1", "model": "c", "usage": {"input_tokens": 4, "output_tokens": 1}}),
        event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        event("ping"),
        delta(0, "text_delta", text="Hel"),
        delta(0, "text_delta", text="lo"),
        event("content_block_stop", index=0),
        event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 9}),
        event("message_stop"),
    )
    assert [Kind(k).name for k in stream.kinds] == [
        "ROLE", "EMPTY", "HEARTBEAT", "TEXT", "TEXT", "EMPTY", "FINISH", "TERMINATOR",
    ]  # fmt: skip
    assert (stream.text(), stream.wire, stream.faults) == ("Hello", "anthropic", [])
    assert (stream.finishes, stream.terminators) == ([(6, 0, "end_turn")], [7])
    assert [(u.prompt, u.completion) for u in stream.usages] == [(4, 1), (None, 9)]
    assert [(i.id, i.model) for i in stream.identities] == [("m1", "c")]


def test_thinking_is_reasoning_and_its_signature_nothing() -> None:
    stream = read(delta(0, "thinking_delta", thinking="hm"), delta(0, "signature_delta", signature="x"))
    assert (list(stream.kinds), stream.text("reasoning")) == ([Kind.REASONING, Kind.EMPTY], "hm")


def test_calls_are_told_apart_by_block() -> None:
    stream = read(
        event("content_block_start", index=1, content_block={"type": "tool_use", "id": "t1", "name": "f", "input": {}}),
        event("content_block_start", index=2, content_block={"type": "tool_use", "id": "t2", "name": "g", "input": {}}),
        delta(2, "input_json_delta", partial_json="{}"),
        delta(1, "input_json_delta", partial_json="[]"),
    )
    assert [(c.key.part, c.name, c.id, c.text) for c in stream.channels] == [
        ("tool:0", "f", "t1", "[]"),
        ("tool:1", "g", "t2", "{}"),
    ]


def test_an_error_event_is_an_error() -> None:
    assert read(event("error", error={"type": "overloaded_error", "message": "busy"})).errors == [
        (0, "busy", "overloaded_error")
    ]


def test_an_unheard_of_delta_is_told() -> None:
    stream = read(delta(0, "new_delta"))
    assert (list(stream.kinds), [f.code for f in stream.faults]) == ([Kind.UNKNOWN], ["shape"])
