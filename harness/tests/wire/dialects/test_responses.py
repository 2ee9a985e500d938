"""OpenAI's Responses events."""

from __future__ import annotations

from typing import Any

import pytest

from harness.tests.wire.build import capture, sse
from harness.wire.decode import decode
from harness.wire.stream import Kind, Stream


def event(kind: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return f"response.{kind}", {"type": f"response.{kind}"} | more


def read(*events: Any) -> Stream:
    return decode(capture(sse(*events)))


START = event("created", response={"id": "r1", "created_at": 1, "model": "m", "status": "in_progress"})


def test_a_whole_exchange() -> None:
    usage = {
        "input_tokens": 5,
        "output_tokens": 7,
        "total_tokens": 12,
        "output_tokens_details": {"reasoning_tokens": 2},
    }
    stream = read(
        START,
        event("in_progress", response={"id": "r1"}),
        event("output_item.added", item={"type": "message", "id": "i"}),
        event("content_part.added", part={}),
        event("reasoning_summary_text.delta", delta="hm"),
        event("output_text.delta", item_id="i", delta="Hel"),
        event("output_text.delta", item_id="i", delta="lo"),
        event("output_text.done", text="Hello"),
        event("output_item.done", item={}),
        event("completed", response={"id": "r1", "status": "completed", "usage": usage}),
    )
    assert [Kind(k).name for k in stream.kinds] == [
        "EMPTY", "EMPTY", "EMPTY", "EMPTY", "REASONING", "TEXT", "TEXT", "EMPTY", "EMPTY", "TERMINATOR",
    ]  # fmt: skip
    assert (stream.text(), stream.text("reasoning"), stream.wire) == ("Hello", "hm", "responses")
    assert (stream.finishes, stream.terminators, stream.usages) == ([(9, 0, "completed")], [9], [(9, 5, 7, 12, 2)])
    assert [(i.id, i.model) for i in stream.identities] == [("r1", "m")]
    assert stream.faults == []


def test_calls_are_told_apart_by_item() -> None:
    stream = read(
        event("output_item.added", item={"type": "function_call", "id": "a", "call_id": "c1", "name": "f"}),
        event("output_item.added", item={"type": "function_call", "id": "b", "call_id": "c2", "name": "g"}),
        event("function_call_arguments.delta", item_id="b", delta="{}"),
        event("function_call_arguments.delta", item_id="a", delta="[]"),
    )
    assert [(c.key.part, c.name, c.id, c.text) for c in stream.channels] == [
        ("tool:0", "f", "c1", "[]"),
        ("tool:1", "g", "c2", "{}"),
    ]


@pytest.mark.parametrize(
    ("last", "finish", "errors"),
    [
        (
            event("incomplete", response={"incomplete_details": {"reason": "max_output_tokens"}}),
            "max_output_tokens",
            [],
        ),
        (
            event("failed", response={"error": {"code": "server_error", "message": "no"}}),
            None,
            [(1, "no", "server_error")],
        ),
        (event("failed", response={}), None, [(1, "the response failed", "failed")]),
    ],
)
def test_each_way_to_end(last: Any, finish: str | None, errors: list[Any]) -> None:
    stream = read(START, last)
    assert [f.reason for f in stream.finishes] == ([finish] if finish else [])
    assert (stream.errors, stream.terminators) == (errors, [1])


def test_an_unheard_of_event_is_unknown() -> None:
    assert list(read(event("teleported")).kinds) == [Kind.UNKNOWN]
