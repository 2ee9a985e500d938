"""Bodies that are no stream."""

from __future__ import annotations

import json

import pytest

from harness.tests.wire.build import capture
from harness.wire.decode import decode

ANSWER = {
    "id": "c",
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Hello",
                "reasoning_content": "hm",
                "tool_calls": [{"id": "t", "function": {"name": "f", "arguments": "{}"}}],
            },
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}


def test_a_whole_answer_has_its_texts_and_no_events() -> None:
    stream = decode(capture(json.dumps(ANSWER).encode(), "application/json"))
    assert (stream.framing, len(stream), stream.wire) == ("json", 0, "openai")
    assert (stream.text(), stream.text("reasoning"), stream.text("tool:0")) == ("Hello", "hm", "{}")
    assert stream.facts == {
        "status": 200,
        "text": "Hello",
        "finish": "stop",
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }


@pytest.mark.parametrize(
    ("body", "wire"),
    [
        ({"message": {"content": "Hello", "thinking": "x"}, "done": True, "done_reason": "stop"}, "ollama"),
        ({"response": "Hello", "done": True}, "ollama"),
        ({"object": "response", "output": [{"content": [{"type": "output_text", "text": "Hello"}]}]}, "responses"),
        ({"type": "message", "content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn"}, "anthropic"),
        ({"choices": [{"text": "Hello"}]}, "openai"),
    ],
)
def test_each_wire_has_its_whole_answer(body: dict[str, object], wire: str) -> None:
    stream = decode(capture(json.dumps(body, indent=1).encode(), "application/json"))
    assert (stream.facts["text"], stream.wire) == ("Hello", wire)


@pytest.mark.parametrize(
    ("body", "message", "code"),
    [
        ({"error": {"message": "invalid key", "code": "invalid_api_key"}}, "invalid key", "invalid_api_key"),
        ({"object": "error", "message": "no such model", "code": 404}, "no such model", "404"),
        ({"error": "model not found"}, "model not found", ""),
        ({"code": 500, "statusText": "unAuth", "message": "", "data": None}, "unAuth", "500"),
        ({"detail": "Not Found"}, None, None),
    ],
)
def test_an_error_document_has_its_message_and_code(body: object, message: str | None, code: str | None) -> None:
    stream = decode(capture(json.dumps(body).encode(), "application/json", status=401))
    assert stream.facts.get("error") == (None if message is None else {"message": message, "code": code})
    assert (stream.framing, stream.facts["status"]) == ("json", 401)


def test_a_page_has_its_title() -> None:
    stream = decode(capture(b"<html>\r\n<head><title>502 Bad\n Gateway</title></head>", "text/html", status=502))
    assert (stream.framing, stream.facts["title"]) == ("text", "502 Bad Gateway")


def test_broken_json_is_a_fault_of_no_event() -> None:
    stream = decode(capture(b'{"choices": [', "application/json", wire="openai"))
    assert [(f.code, f.event) for f in stream.faults] == [("json", None)]
