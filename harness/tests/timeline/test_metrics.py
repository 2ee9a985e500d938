"""The metrics against the formulas that their sources publish."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.tests.wire.build import capture, chunk, sse
from harness.timeline.metrics import content_times, measure, percentile
from harness.wire.decode import decode

WORDS = ["He", "llo", " wor", "ld"]
EVENTS = [
    chunk("", role="assistant"),
    *(chunk(word) for word in WORDS),
    chunk(finish="stop"),
    chunk() | {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 9}},
    "[DONE]",
]
AT = [90.0, 100.0, 120.0, 150.0, 200.0, 201.0, 202.0, 203.0]
HEALTHY = decode(capture([sse(event) for event in EVENTS], times=AT))


def test_each_figure_of_a_healthy_stream() -> None:
    m = measure(HEALTHY)
    assert (m.head_ms, m.ttfb_ms, m.first_event_ms) == (5.0, 90.0, 90.0)
    assert (m.ttft_ms, m.ttfo_ms, m.ttst_ms) == (100.0, 100.0, 20.0)
    assert (m.e2e_ms, m.last_byte_ms, m.terminator_ms, m.end_ms) == (200.0, 203.0, 203.0, 204.0)
    assert list(m.itl_ms) == [20.0, 30.0, 50.0]
    assert (m.output_tokens, m.tpot_ms, m.ntpot_ms) == (9, 12.5, 200.0 / 9)
    assert (m.itl.p50, m.itl.max) == (30.0, 50.0)
    assert (m.events, m.content_events, m.reads, m.coalescing) == (8, 4, 8, 1.0)


def test_it_agrees_with_vllm_bench_serve() -> None:
    """ttft, itl and tpot as its documentation defines them, from the stamps of the chunks that bear text."""
    stamps = [t for t, event in zip(AT, EVENTS, strict=True) if isinstance(event, dict) and event["choices"]]
    stamps = stamps[1:-1]  # role and finish bear none
    ttft, latency = stamps[0], stamps[-1]
    m = measure(HEALTHY)
    assert m.ttft_ms == ttft
    assert list(m.itl_ms) == [b - a for a, b in pairwise(stamps)]
    assert m.tpot_ms == (latency - ttft) / (9 - 1)


def test_it_agrees_with_aiperf() -> None:
    """TTST, TTFO and inter-chunk latency over content responses; request latency to the last byte."""
    content = AT[1:5]
    m = measure(HEALTHY)
    assert m.ttst_ms == content[1] - content[0]
    assert m.ttfo_ms == content[0]
    assert sum(m.itl_ms) / len(m.itl_ms) == (content[-1] - content[0]) / (len(content) - 1)
    assert m.last_byte_ms == AT[-1]


def test_reasoning_counts_for_the_first_token_and_not_for_the_first_output() -> None:
    stream = decode(capture([sse(chunk(reasoning="hm")), sse(chunk("a"))], times=[10.0, 500.0]))
    m = measure(stream)
    assert (m.ttft_ms, m.ttfo_ms) == (10.0, 500.0)


def test_beats_and_roles_are_no_tokens() -> None:
    beat = chunk("", role="assistant") | {"id": "", "object": "", "model": ""}
    stream = decode(capture([sse(beat), b": ping\n\n", sse(chunk("a")), sse(beat), sse(chunk("b"))]))
    m = measure(stream)
    assert (m.ttfb_ms, m.first_event_ms, m.ttft_ms) == (10.0, 10.0, 30.0)
    assert list(m.itl_ms) == [20.0]


def test_events_of_one_read_come_at_one_time() -> None:
    m = measure(decode(capture([sse(*EVENTS)])))
    assert (list(m.itl_ms), m.coalescing) == ([0.0, 0.0, 0.0], 8.0)


@pytest.mark.parametrize(
    "reads", [[b""], [], [b": ping\n\n"], [sse("[DONE]")]], ids=["empty", "none", "comment", "end"]
)
def test_figures_that_do_not_exist_are_none(reads: list[bytes]) -> None:
    m = measure(decode(capture(reads)))
    assert (m.ttft_ms, m.ttfo_ms, m.ttst_ms, m.e2e_ms, m.tpot_ms, m.ntpot_ms, m.itl.p50) == (None,) * 7
    assert list(m.itl_ms) == []


def test_one_token_has_no_time_between_tokens() -> None:
    events = (chunk("a"), chunk() | {"choices": [], "usage": {"completion_tokens": 1}})
    m = measure(decode(capture([sse(*events)])))
    assert (m.tpot_ms, m.ntpot_ms) == (None, 10.0)


@given(st.lists(st.floats(0, 50), min_size=1, max_size=30))
def test_the_gaps_add_up_to_the_time_from_first_to_last(gaps: list[float]) -> None:
    times = [sum(gaps[: i + 1]) for i in range(len(gaps))]
    stream = decode(capture([sse(chunk("a")) for _ in times], times=times))
    m = measure(stream)
    assert list(content_times(stream)) == times
    assert m.ttft_ms is not None
    assert m.e2e_ms == pytest.approx(m.ttft_ms + sum(m.itl_ms))


def test_percentile_is_exported_beside_the_metrics() -> None:
    assert percentile([1.0, 2.0], 50) == 1.5
