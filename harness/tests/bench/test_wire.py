"""The benchmark compares like with like."""

from __future__ import annotations

import pytest

from harness.tests.bench.streams import KINDS, body, capture, reads
from harness.tests.bench.wire import by_httpx, by_openai
from harness.wire.decode import decode


@pytest.mark.parametrize("kind", KINDS)
def test_all_ways_give_the_same_text(kind: str) -> None:
    data = body(200, kind)
    parts = reads(data, 100)
    stream = decode(capture(data, 100, kind))
    text = "".join(channel.text for channel in stream.channels)
    assert by_httpx(parts) == text
    assert not stream.faults
    if kind != "ollama":
        pytest.importorskip("openai")
        assert by_openai(parts) == text
