"""Plain text where a stream was asked for, and lines that are a stream of their own."""

from __future__ import annotations

import pytest

from harness.tests.diagnose.build import Answer, capture, codes, spaced, told


def plain(*lines: bytes) -> Answer:
    return told(capture(spaced(lines), headers=(("content-type", "text/plain; charset=utf-8"),), wire="other"))


def test_words_of_a_server_are_no_stream() -> None:
    assert "not-streamed.page" in codes(plain(b"upstream connect error\n", b"or disconnect\n"), "error")


@pytest.mark.parametrize("first", [b'f:{"messageId":"m1"}\n', b'0:"The "\n'])
def test_numbered_lines_are_one(first: bytes) -> None:
    found = plain(first, b'0:"ferry"\n', b'd:{"finishReason":"stop"}\n')
    assert "not-streamed.page" not in codes(found) and found.verdict.healthy is not False
