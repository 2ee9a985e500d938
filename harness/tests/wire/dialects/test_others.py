"""Dialects that the contract names no wire for."""

from __future__ import annotations

import json
from typing import Any

from harness.tests.diagnose.build import capture, spaced
from harness.wire.decode import decode
from harness.wire.stream import Kind, Stream


def read(*rows: dict[str, Any], wire: str = "other") -> Stream:
    return decode(capture(spaced([f"data: {json.dumps(row)}\n\n".encode() for row in rows]), wire=wire))


def test_parts_of_the_ai_sdk() -> None:
    stream = read(
        {"type": "start"},
        {"type": "reasoning-delta", "id": "1", "delta": "hm"},
        {"type": "text-delta", "id": "0", "delta": "The "},
        {"type": "text-delta", "id": "0", "delta": "ferry"},
        {"type": "finish"},
    )
    assert (stream.text(), stream.text("reasoning")) == ("The ferry", "hm")
    assert [finish.reason for finish in stream.finishes] == ["stop"]


def test_answers_of_dify_end_with_their_message() -> None:
    stream = read(
        {"event": "agent_message", "answer": "a"}, {"event": "message", "answer": "b"}, {"event": "message_end"}
    )
    assert stream.text() == "ab" and len(stream.terminators) == 1


def test_who_declares_another_wire_is_not_read_so() -> None:
    assert read({"type": "text-delta", "delta": "a"}, wire="openai").kinds[0] == Kind.UNKNOWN


def test_what_is_none_of_them_stays_unknown() -> None:
    assert read({"type": ["start"]}, {"event": {"type": "status"}}, {"text": "a"}).kinds == bytes([Kind.UNKNOWN] * 3)
