"""Framing and wire by content."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.tests.wire.build import capture, chunk, lines, sse
from harness.wire.decode import decode
from harness.wire.sniff import framing, wire_of

RECORD = {"model": "m", "message": {"role": "assistant", "content": "a"}, "done": False}


@pytest.mark.parametrize(
    ("body", "kind", "wire", "expected"),
    [
        (sse(chunk("a")), "text/event-stream", "", "sse"),
        (sse(chunk("a")), "application/json", "", "sse"),
        (sse(chunk("a")), "", "", "sse"),
        (b"\xef\xbb\xbf" + sse(chunk("a")), "", "", "sse"),
        (b": ping\n\n", "", "", "sse"),
        (b"\n\n\ndata: 1\n\n", "", "", "sse"),
        (b"event: answer\ndata: 1\n\n", "text/html", "", "sse"),
        (lines(RECORD, RECORD), "application/x-ndjson", "", "ndjson"),
        (lines(RECORD, RECORD), "application/json", "", "ndjson"),
        (lines(RECORD)[:-1], "", "", "ndjson"),
        (b'{"error":"model not found"}\n', "", "ollama", "ndjson"),
        (b'{"error":{"message":"no"}}', "text/event-stream", "", "json"),
        (b'{\n  "choices": []\n}', "application/json", "", "json"),
        (b"[1]", "", "", "json"),
        (b"<html><body>502</body></html>", "text/html", "", "text"),
        (b"<html>", "text/event-stream", "", "text"),
        (b"<br />\n<b>Warning</b>: line 8<br />\ndata: {}\n\n", "text/event-stream", "", "sse"),
        (b"<br />\n<b>Fatal error</b>: line 8<br />\n", "text/event-stream", "", "text"),
        (b"<html><script>\ndata: {a: 1}\n</script>", "text/event-stream", "", "text"),
        (b"upstream request timeout", "text/plain", "", "text"),
        (b"odd: 1\ndata: 2\n\n", "text/event-stream", "", "sse"),
        (b"", "text/event-stream", "", "none"),
        (b"\n\n", "text/event-stream", "", "sse"),
        (b"\n\n", "", "", "text"),
    ],
)
def test_the_bytes_tell_the_framing(body: bytes, kind: str, wire: str, expected: str) -> None:
    assert framing(body, kind, wire, whole=True) == expected


BODIES = [
    sse(chunk("a")),
    lines(RECORD),
    b"<p>",
    b"<br>\ndata: {}\n\n",
    b"<HTML>\ndata: 1",
    b"{}",
    b"id",
    b"even",
    b"x",
]


@given(st.sampled_from(BODIES), st.integers(0, 40), st.booleans())
def test_an_answer_that_was_given_stands(body: bytes, length: int, declared: bool) -> None:
    kind = "text/event-stream" if declared else ""
    early = framing(body[:length], kind)
    assert early in ("", framing(body, kind, whole=True))


@pytest.mark.parametrize(
    ("body", "wire"),
    [
        (sse(chunk("a")), "openai"),
        (sse(chunk("a") | {"id": "", "object": "", "model": ""}), "fastgpt"),
        (sse(("answer", chunk("a"))), "fastgpt"),
        (sse(chunk("a"), ("flowResponses", [])), "fastgpt"),
        (lines(RECORD), "ollama"),
        (sse({"type": "response.created", "response": {"id": "r"}}), "responses"),
        (sse({"type": "message_start", "message": {}}), "anthropic"),
        (sse("hello"), "other"),
        (b"<html>", "other"),
    ],
)
def test_the_events_tell_the_wire(body: bytes, wire: str) -> None:
    assert decode(capture(body, "")).wire == wire


@pytest.mark.parametrize(
    ("url", "wire"),
    [
        ("http://h/v1/chat/completions?x=1", "openai"),
        ("http://h/api/chat", "ollama"),
        ("http://h/v1/messages/", "anthropic"),
        ("http://h/v1/responses", "responses"),
        ("http://h/chat/stream", ""),
    ],
)
def test_a_silent_exchange_has_the_wire_of_its_path(url: str, wire: str) -> None:
    assert wire_of(url) == wire
