"""The benchmark compares like with like."""

from __future__ import annotations

import pytest

from harness.tests.bench.streams import KINDS, body, capture, reads
from harness.tests.bench.wire import by_httpx_sse, by_lines, by_openai, live
from harness.wire.decode import decode


@pytest.mark.parametrize("kind", KINDS)
def test_all_ways_give_the_same_text(kind: str) -> None:
    data = body(200, kind)
    parts, taken = reads(data, 100), capture(data, 100, kind)
    text = decode(taken).text()
    assert live(parts, taken.wire) == text
    assert (by_lines if kind == "ollama" else by_httpx_sse)(parts) == text
    if kind != "ollama":
        pytest.importorskip("openai")
        assert by_openai(parts) == text
