"""What dialects share: a piece of text, and numbers for tool calls."""

from __future__ import annotations

import pytest

from harness.capture.model import Capture
from harness.wire.dialects.parts import MOST_CALLS, piece, tool
from harness.wire.sink import Sink
from harness.wire.stream import Kind, Stream


@pytest.fixture
def sink() -> Sink:
    return Sink(Stream(Capture("engine"), ""))


def test_only_text_is_a_piece_and_what_is_no_text_is_a_fault(sink: Sink) -> None:
    assert piece(0, "content", "word", Kind.TEXT, sink) is Kind.TEXT
    assert piece(0, "content", "", Kind.TEXT, sink) is Kind.EMPTY
    assert not sink.stream.faults
    assert piece(0, "content", 7, Kind.TEXT, sink) is Kind.EMPTY
    assert [fault.detail for fault in sink.stream.faults] == ["content is int, not text"]


def test_tool_calls_are_numbered_as_they_show_and_keep_their_number(sink: Sink) -> None:
    assert [tool(ident, sink) for ident in ("b", "a", "b")] == ["tool:0", "tool:1", "tool:0"]


def test_more_tool_calls_than_are_kept_take_no_number_from_those_that_are(sink: Sink) -> None:
    for ident in range(MOST_CALLS + 5):
        tool(ident, sink)
    assert tool(7, sink) == "tool:7"
    assert len(sink.seen["tool-ids"]) == MOST_CALLS
