"""Errors inside a stream, in every shape."""

from __future__ import annotations

from typing import Any

import pytest

from harness.tests.wire.build import capture, chunk, kinds, lines, sse
from harness.wire.decode import decode


@pytest.mark.parametrize(
    ("event", "message", "code"),
    [
        ({"error": {"message": "no", "type": "InternalServerError", "param": None, "code": 500}}, "no", "500"),
        ({"error": {"object": "error", "message": "no", "type": "bad", "code": None}}, "no", "bad"),
        ({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, "Loading model", "503"),
        ({"object": "error", "message": "no", "type": "BadRequest", "param": None, "code": 400}, "no", "400"),
        ({"error": "overloaded", "error_type": "overloaded"}, "overloaded", "overloaded"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, "busy", "overloaded_error"),
        ({"type": "error", "code": "server_error", "message": "no", "sequence_number": 1}, "no", "server_error"),
        ({"code": 500, "statusText": "unAuthModel", "message": "no", "data": None}, "no", "500"),
        (("error", {"message": "Connection error."}), "Connection error.", ""),
        (("error", {"code": 514, "statusText": "x", "message": "no"}), "no", "514"),
        (("error", "plain words"), "plain words", ""),
        (("error", '"quoted words"'), "quoted words", ""),
        (chunk(finish="error") | {"error": {"message": "no", "code": 502}}, "no", "502"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_every_shape_is_an_error_with_message_and_code(event: Any, message: str, code: str) -> None:
    body = sse(chunk("a"), event, "[DONE]")
    assert kinds(body) == "text error terminator"
    assert decode(capture(body)).errors == [(1, message, code)]


def test_an_older_llama_cpp_sends_a_line_that_no_parser_sees() -> None:
    body = sse(chunk("a")) + b'error: {"code":500,"message":"no","type":"server_error"}\n\n'
    stream = decode(capture(body))
    assert len(stream) == 1
    assert stream.errors == [(1, "no", "500")]
    assert [(f.code, f.event, f.offset) for f in stream.faults] == [("field", None, len(sse(chunk("a"))))]


def test_a_bare_json_error_between_events_is_seen() -> None:
    stream = decode(capture(sse(chunk("a")) + b'{"error":{"message":"upstream died"}}\n\n'))
    assert stream.errors == [(1, "upstream died", "")]


def test_an_error_line_in_ndjson_is_an_error() -> None:
    body = lines({"model": "m", "message": {"content": "a"}, "done": False}, {"error": "no"})
    assert kinds(body, kind="application/x-ndjson") == "text error"


def test_a_null_error_is_none() -> None:
    assert decode(capture(sse(chunk("a") | {"error": None}))).errors == []


def test_a_message_without_sense_is_shown_as_it_is() -> None:
    assert decode(capture(sse({"error": {"x": 1}}))).errors == [(0, "{'x': 1}", "")]


def test_errors_are_bounded_and_clean() -> None:
    event = {"error": {"message": "a\ud800" * 5000}}
    stream = decode(capture(sse(*[event] * 300, ascii_only=True)))
    assert len(stream.errors) == 200
    assert len(stream.errors[0].message.encode()) <= 2000
