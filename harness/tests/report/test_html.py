"""The offline HTML report and its lanes."""

from __future__ import annotations

import re

import pytest

from harness.capture.model import Capture, Clock, End
from harness.diagnose.run import diagnose
from harness.report.beside import NAMES, beside
from harness.report.html import Told, page
from harness.report.lanes import WIDTH, lanes, span_of
from harness.tests.build import LAST, captured, event


def answered(hop: str, times: list[float], text: str = "word ", **more: object) -> Capture:
    """A capture of one content event a stamp, then a finish and the terminator."""
    reads = [(t, event(text)) for t in times] + [(times[-1], LAST)]
    return captured(hop, reads, **{"end": End(times[-1], "complete")} | more)


def told(name: str, *captures: Capture) -> Told:
    return Told(name, captures, diagnose(captures).as_json(), "ladder", "a-route")


def test_marks_lie_on_the_axis_in_proportion_to_their_times() -> None:
    (lane,), axis = lanes([answered("engine", [0.0, 500.0, 1000.0])])
    assert axis.span_ms == 1000.0
    assert [mark.x for mark in lane.marks] == [0, WIDTH // 2, WIDTH]
    assert axis.ticks[0] == (0.0, "0 s")
    assert axis.ticks[-1] == (WIDTH, "1 s")


def test_events_that_fall_together_are_one_mark_with_their_count() -> None:
    (lane,), _ = lanes([answered("engine", [0.0, 1000.0, 1000.0, 1000.0])])
    assert [mark.count for mark in lane.marks] == [1, 5]


def test_taps_of_one_exchange_share_its_time_and_others_begin_at_the_left() -> None:
    clock = Clock("one")
    first = answered("engine", [10.0], exchange="x", sent_at="2026-01-01T00:00:00.000000Z", clock=clock)
    later = answered("app", [10.0], exchange="x", sent_at="2026-01-01T00:00:00.100000Z", clock=clock)
    other = answered("proxy", [10.0], exchange="y", sent_at="2026-01-01T00:01:00.000000Z", clock=clock)
    drawn, axis = lanes([first, later, other])
    assert axis.span_ms == pytest.approx(110.0)
    assert [round(lane.start) for lane in drawn] == [0, round(100 * WIDTH / 110), 0]


def test_a_report_tells_the_verdict_first_and_draws_two_runs_to_one_scale() -> None:
    short, long = told("short", answered("engine", [10.0, 20.0])), told("long", answered("engine", [10.0, 2000.0]))
    html = page([short, long])
    assert html.index("healthy") < html.index("<figure")
    assert html.count("<figure") == 2
    assert len(set(re.findall(r'x="([\d.]+)%" y="14">0.5 s', html))) == 1
    assert span_of(long.captures) == 2000.0


def test_a_report_fetches_nothing_and_runs_nothing() -> None:
    html = page([told("one", answered("engine", [10.0]))])
    assert "<script" not in html
    assert not re.search(r"(src|href)=", html)


def test_what_a_model_or_a_route_says_is_text_in_the_report() -> None:
    html = page([told("<img src=x>", answered("engine", [10.0]))])
    assert "<img" not in html


def test_a_run_without_events_is_told_all_the_same() -> None:
    assert "cannot tell" in page([told("empty", Capture("engine"))])


def test_of_many_rounds_the_faulty_one_is_drawn_alone() -> None:
    good = [answered("engine", [10.0 * n for n in range(1, 30)], repeat=n) for n in range(30)]
    cut = Capture("engine", "engine", body=b"", end=End(5000.0, "truncated"), repeat=17)
    html = page([told("many", *good[:17], cut, *good[18:])])
    assert html.count('<svg class="lane"') == 1 and "29 more lanes" in html and "engine · read" in html
    assert html.count("#") >= 30


def test_two_runs_have_a_table_of_what_changed_and_one_has_none() -> None:
    slow, quick = answered("engine", [100.0, 200.0]), answered("engine", [20.0, 30.0])
    html = page([told("slow", slow), told("quick", quick, answered("proxy", [25.0, 35.0]))])
    assert "What changed" in html and "100 ms → 20 ms (−80 ms)" in html and "– → 25 ms" in html
    assert "What changed" not in page([told("slow", slow)])


def test_figures_of_rounds_are_compared_by_their_medians() -> None:
    rounds = [answered("engine", [t, t + 10.0], repeat=n) for n, t in enumerate((10.0, 20.0, 900.0))]
    (row,) = beside(told("a", *rounds).answer, told("b", answered("engine", [20.0, 30.0])).answer)
    assert row["cells"][NAMES.index("TTFT")] == {"a": "20 ms", "b": "20 ms", "change": ""}
    assert row["cells"][NAMES.index("outcome")]["a"] == "done"
