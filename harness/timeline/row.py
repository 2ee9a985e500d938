"""One capture's row of the answer: who saw it, how it ended, how much, and when."""

from __future__ import annotations

from typing import Any

from harness.timeline.metrics import Metrics, measure
from harness.timeline.outcome import outcome
from harness.wire.stream import Stream


def row(stream: Stream, metrics: Metrics | None = None) -> dict[str, Any]:
    """An entry of ``captures`` in the answer. Times in ms; ``text_chars`` counts every channel's characters."""
    capture = stream.capture
    figures = metrics or measure(stream)
    # A recording without times of its own, or whose time begins with its first byte, has no such figures.
    untimed, begun = capture.meta.get("timed") is False, capture.meta.get("began") == "first-byte"
    entry: dict[str, Any] = {
        "hop": capture.hop,
        "kind": capture.kind,
        "tap": capture.tap,
        "wire": stream.wire,
        "outcome": outcome(stream),
        "events": figures.events,
        "content_events": figures.content_events,
        "text_chars": sum(len(channel.text) for channel in stream.channels),
        "reads": figures.reads,
        "timing": {
            "ttfb_ms": None if untimed or begun else _rounded(figures.ttfb_ms),
            "ttft_ms": None if untimed or begun else _rounded(figures.ttft_ms),
            "e2e_ms": None if (untimed and not figures.e2e_ms) or begun else _rounded(figures.e2e_ms),
            "itl_ms": {n: None if untimed else _rounded(value) for n, value in figures.itl.as_json().items()},
        },
    }
    if capture.repeat is not None:
        entry["repeat"] = capture.repeat
    return entry


def _rounded(value: float | None) -> float | None:
    """To a nanosecond's thousandfold: floats that were subtracted show digits that nobody measured."""
    return None if value is None else round(value, 6)
