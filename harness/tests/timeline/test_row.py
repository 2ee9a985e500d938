"""A capture's row of the answer."""

from __future__ import annotations

from dataclasses import replace

from harness.tests.wire.build import capture, chunk, sse
from harness.timeline.row import row
from harness.wire.decode import decode


def test_a_row_has_what_the_contract_asks_for() -> None:
    parts = [sse(chunk("", role="assistant")), sse(chunk(reasoning="hm")), sse(chunk("Hé"), chunk("y")), sse("[DONE]")]
    taken = replace(capture(parts), hop="gateway", kind="gateway", tap="read", repeat=2)
    assert row(decode(taken)) == {
        "hop": "gateway",
        "kind": "gateway",
        "tap": "read",
        "wire": "openai",
        "repeat": 2,
        "outcome": "done",
        "events": 5,
        "content_events": 3,
        "text_chars": 5,
        "reads": 4,
        "timing": {
            "ttfb_ms": 10.0,
            "ttft_ms": 20.0,
            "e2e_ms": 30.0,
            "itl_ms": {"p50": 5.0, "p95": 9.5, "p99": 9.9, "max": 10.0},
        },
    }


def test_without_content_the_figures_are_null() -> None:
    timing = row(decode(capture([], status=None, end="reset")))["timing"]
    assert timing == {
        "ttfb_ms": None,
        "ttft_ms": None,
        "e2e_ms": None,
        "itl_ms": {"p50": None, "p95": None, "p99": None, "max": None},
    }


def test_a_single_capture_bears_no_repeat() -> None:
    assert "repeat" not in row(decode(capture(sse(chunk("a")))))
