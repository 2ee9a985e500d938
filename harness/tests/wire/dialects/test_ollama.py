"""Ollama's native records."""

from __future__ import annotations

from typing import Any

from harness.tests.wire.build import capture, lines
from harness.wire.decode import decode
from harness.wire.stream import Kind, Stream

LAST = {
    "done": True,
    "done_reason": "length",
    "total_duration": 5_000_000_000,
    "load_duration": 1_000_000,
    "prompt_eval_count": 26,
    "prompt_eval_duration": 2_000_000,
    "eval_count": 3,
    "eval_duration": 4_000_000,
}


def chat(content: str = "", done: bool = False, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content} | more
    return {"model": "qwen", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": done}


def read(*records: Any) -> Stream:
    return decode(capture(lines(*records), "application/x-ndjson"))


def test_a_chat_ends_with_its_done_record() -> None:
    stream = read(chat("He"), chat("llo"), chat() | LAST)
    assert [Kind(k).name for k in stream.kinds] == ["TEXT", "TEXT", "TERMINATOR"]
    assert (stream.text(), stream.wire, stream.framing) == ("Hello", "ollama", "ndjson")
    assert (stream.finishes, stream.terminators) == ([(2, 0, "length")], [2])
    assert stream.usages == [(2, 26, 3, 29, None)]
    assert stream.facts["ollama"]["eval_duration"] == 4_000_000
    assert [i.model for i in stream.identities] == ["qwen"]


def test_generate_is_read_likewise() -> None:
    record = {"model": "m", "response": "a", "done": False}
    stream = read({"model": "m", "response": "", "thinking": "hm", "done": False}, record, record | LAST)
    assert [Kind(k).name for k in stream.kinds] == ["REASONING", "TEXT", "TEXT"]
    assert (stream.text(), stream.text("reasoning"), stream.terminators) == ("aa", "hm", [2])


def test_thinking_is_reasoning() -> None:
    assert read(chat(thinking="hm")).text("reasoning") == "hm"


def test_a_first_record_without_text_is_a_role() -> None:
    assert [Kind(k).name for k in read(chat(), chat(), chat("a")).kinds] == ["ROLE", "EMPTY", "TEXT"]


def test_tool_calls_come_whole_and_are_numbered() -> None:
    call = {"function": {"name": "f", "arguments": {"x": 1}}}
    stream = read(chat(tool_calls=[call]), chat(tool_calls=[call]))
    assert [(c.key.part, c.name, c.text) for c in stream.channels] == [
        ("tool:0", "f", '{"x":1}'),
        ("tool:1", "f", '{"x":1}'),
    ]
    assert list(stream.kinds) == [Kind.TOOL, Kind.TOOL]


def test_records_know_their_bytes_and_times() -> None:
    body = lines(chat("a"), chat("b"))
    size = len(body) // 2
    stream = decode(capture([body[: size - 1], body[size - 1 : size + 5], body[size + 5 :]], "application/x-ndjson"))
    assert (list(stream.starts), list(stream.ends)) == ([0, size], [size, 2 * size])
    assert list(stream.times) == [20.0, 30.0]
