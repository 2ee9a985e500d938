"""A capture to its stream: no bytes raise, no cut matters, every event has its read and time."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.tests.wire.build import capture, chats, chunk, columns, cuttings, lines, pieces, sse, texts
from harness.wire.decode import decode
from harness.wire.stream import Kind

NDJSON = "application/x-ndjson"
VARYING = ("read_ends", "reads", "times", "comments")
HEADS = st.sampled_from(["text/event-stream", NDJSON, "application/json", "text/html", ""])


@given(chats(), cuttings, HEADS)
def test_no_cut_changes_what_is_decoded(body: bytes, cuts: list[int], kind: str) -> None:
    whole = decode(capture(body, kind))
    cut = decode(capture(list(pieces(body, cuts)), kind))
    assert columns(cut, *VARYING) == columns(whole, *VARYING)


KEYS = [
    "choices",
    "delta",
    "content",
    "index",
    "message",
    "tool_calls",
    "function",
    "arguments",
    "name",
    "id",
    "error",
    "usage",
    "type",
    "done",
    "response",
    "model",
    "finish_reason",
    "reasoning",
    "thinking",
    "item",
    "object",
    "code",
]
PARTS = [b"data: ", b"\n\n", b"{", b"}", b"[", b'"choices":', b'"delta":', b"\xef\xbb\xbf", b"\x1f\x8b\x08", b"null"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=12,
).map(lambda value: b"data: " + json.dumps(value).encode() + b"\n\n")
ODD = st.lists(st.binary(max_size=20) | st.sampled_from(PARTS) | VALUES, max_size=8).map(b"".join)
CLEAN = texts.filter(lambda text: text.isprintable() and text != "")


@given(ODD, cuttings, HEADS, st.sampled_from(["", "openai", "fastgpt", "ollama", "responses", "anthropic", "other"]))
@example(b'data: {"choices": [{"index": 99999999999999999999, "delta": {"content": "x"}}]}\n\n', [], "", "")
@example(b"data:", [1], "application/x-ndjson", "")
@example(b"\xef\xbb\xbf", [1], "application/x-ndjson", "")
def test_no_bytes_raise_and_no_cut_matters(body: bytes, cuts: list[int], kind: str, wire: str) -> None:
    taken = capture(list(pieces(body, cuts)), kind, wire=wire)
    stream = decode(taken)
    assert columns(stream, *VARYING) == columns(decode(capture(body, kind, wire=wire)), *VARYING)
    for _, _, text in stream.deltas():
        text.encode()


@given(
    st.binary(max_size=200), st.sampled_from(["", "gzip", "br", "deflate", "zstd", "gzip, br", "odd"]), st.booleans()
)
def test_no_coding_raises(body: bytes, coding: str, complete: bool) -> None:
    taken = capture(list(pieces(body, [3, 50])), coding=coding, end="complete" if complete else "open")
    assert len(decode(taken)) <= len(body)


@given(
    st.lists(
        st.tuples(st.sampled_from(["content", "reasoning"]), texts.filter(lambda t: t.isprintable() and t)), max_size=9
    )
)
def test_text_comes_back_as_it_was_sent(parts: list[tuple[str, str]]) -> None:
    stream = decode(capture(sse(*(chunk(**{part: text}) for part, text in parts))))
    assert [(key.part, text) for _, key, text in stream.deltas()] == parts
    assert stream.text() == "".join(text for part, text in parts if part == "content")
    assert stream.text("reasoning") == "".join(text for part, text in parts if part == "reasoning")


def test_an_event_has_the_time_of_the_read_that_completed_it() -> None:
    body = sse(chunk("a"), chunk("b"), chunk("c"))
    size = len(body) // 3
    stream = decode(capture([body[:5], body[5 : size - 1], body[size - 1 : 2 * size], body[2 * size :], b""]))
    assert list(stream.reads) == [2, 2, 3]
    assert list(stream.times) == [30.0, 30.0, 40.0]


def test_a_comment_is_there_before_the_lf_of_its_crlf() -> None:
    taken = capture([b": a\r", b"\n\r\n" + sse(chunk("x"))])
    assert decode(taken).comments == [(10.0, 0)]


@pytest.mark.parametrize("eol", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_a_comment_is_there_before_the_blank_line_after_it(eol: bytes) -> None:
    taken = capture([sse(chunk("x")).replace(b"\n", eol) + b": a" + eol, eol])
    assert [t for t, _ in decode(taken).comments] == [10.0]


def test_comments_have_a_time_and_a_place() -> None:
    stream = decode(capture([b": a\n", b"\n: b\n\n" + sse(chunk("x"))]))
    assert stream.comments == [(10.0, 0), (20.0, 5)]


def test_the_bytes_of_an_event_can_be_had() -> None:
    body = b": ping\n\n" + sse(chunk("a"), ("answer", chunk("b")))
    stream = decode(capture(body))
    assert stream.raw(0) + stream.raw(1) == body[8:]


def test_a_tail_is_kept_and_told() -> None:
    stream = decode(capture(sse(chunk("a"), chunk(finish="stop")) + b"data: [DONE]\n"))
    assert stream.terminators == []
    assert stream.tail == b"data: [DONE]\n"
    assert stream.facts["tail"] == {"whole": True, "kind": "terminator", "text": "", "finish": []}
    assert [(f.code, f.event) for f in stream.faults] == [("tail", None)]


def test_a_tail_in_the_middle_of_json_is_not_whole() -> None:
    stream = decode(capture(sse(chunk("a")) + b'data: {"choices":[{"del'))
    assert stream.facts["tail"]["whole"] is False


def test_a_comment_at_the_end_is_no_tail_fault() -> None:
    stream = decode(capture(sse(chunk("a")) + b": pi"))
    assert stream.tail == b": pi"
    assert stream.faults == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"choices":[{"index":0,"delta":{"content":"a', "json"),
        (b'{"choices":[{"index":0,"delta":{"content":"a"}}],"x":NaN}', "json-nan"),
        (b'{"choices":[{"index":0,"delta":{"content":"\xff"}}]}', "utf8"),
        (b'{"choices":[{"index":0,"delta":{"content":"\\ud83d"}}]}', "surrogate"),
        (b'{"choices":[{"index":0,"delta":{"content":"\xef\xbf\xbd"}}]}', "replacement"),
        (b'{"choices":[{"index":0,"delta":{"content":"\\ufffd"}}]}', "replacement"),
        (b'{"choices":[{"index":0,"delta":{"content":"a\x01"}}]}', "control"),
        (b'{"choices":[{"index":0,"delta":{"content":7}}]}', "shape"),
        (b'{"choices":[{"index":0}]}', "shape"),
        (b'{"choices":[{"index":0,"delta":{},"finish_reason":""}]}', "shape"),
        (b"[1]", "shape"),
    ],
)
def test_each_fault_has_its_code_event_and_offset(line: bytes, code: str) -> None:
    body = sse(chunk("x")) + b"data: " + line + b"\n\n"
    (fault,) = decode(capture(body, wire="openai")).faults
    assert (fault.code, fault.event, fault.offset) == (code, 1, len(sse(chunk("x"))))


def test_halves_of_a_pair_in_two_events_make_one_character() -> None:
    stream = decode(capture(sse(chunk("a\ud83d"), chunk("\ude00b"), ascii_only=True)))
    assert stream.text() == "a😀b"
    assert [text for _, _, text in stream.deltas()] == ["a", "😀b"]
    assert [f.code for f in stream.faults] == ["surrogate", "surrogate"]


def test_a_half_that_stays_alone_becomes_a_replacement() -> None:
    stream = decode(capture(sse(chunk("a\ud83d"), chunk("b\ud83d"), ascii_only=True)))
    assert stream.text() == "a\ufffdb\ufffd"
    assert [text for _, _, text in stream.deltas()] == ["a", "\ufffdb\ufffd"]


def test_faults_are_bounded_and_counted() -> None:
    stream = decode(capture(b"data: {\n\n" * 1000, wire="openai"))
    assert len(stream.faults) == 200
    assert stream.facts["faults_more"] == {"json": 800}


def test_a_stream_that_speaks_another_wire_is_told_once() -> None:
    stream = decode(capture(sse(*[chunk("x")] * 3), wire="anthropic"))
    assert [f.code for f in stream.faults] == ["shape"]
    assert stream.text() == "xxx"


def test_somebody_elses_events_are_no_broken_json() -> None:
    stream = decode(capture(sse("hello", "world")))
    assert (stream.wire, stream.faults, list(stream.kinds)) == ("other", [], [Kind.UNKNOWN] * 2)


def test_no_body_has_no_framing() -> None:
    stream = decode(capture(b""))
    assert (stream.framing, len(stream)) == ("none", 0)


def test_a_tap_without_bytes_decodes_to_nothing() -> None:
    from dataclasses import replace

    assert len(decode(replace(capture(sse(chunk("a"))), body=None))) == 0


def test_an_endless_line_is_a_fault_and_takes_little_memory() -> None:
    body = b"data: " + b"x" * 130_000_000 + b"\n\n" + sse(chunk("a"))
    taken = capture(body)
    tracemalloc.start()
    stream = decode(taken)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [(f.code, f.event, f.offset) for f in stream.faults] == [("line-limit", 0, 0)]
    assert stream.text() == "a"
    assert peak < 60_000_000


def test_a_time_beyond_all_numbers_is_none() -> None:
    body = sse(chunk("a")).replace(b"1760000000", b"1e999") + sse(chunk("b")).replace(b"1760000000", b"9" * 400)
    assert [i.created for i in decode(capture(body)).identities] == [None, int("9" * 400)]


@pytest.mark.parametrize("cut", [False, True], ids=["whole", "cut"])
def test_a_last_record_without_its_newline_counts_when_it_is_whole(cut: bool) -> None:
    body = lines({"model": "m", "response": "a", "done": False}, {"model": "m", "response": "", "done": True})[:-1]
    stream = decode(capture(body[:-2] if cut else body, NDJSON))
    assert [Kind(k).name for k in stream.kinds] == (["TEXT"] if cut else ["TEXT", "TERMINATOR"])
    assert [f.code for f in stream.faults] == (["tail"] if cut else [])
