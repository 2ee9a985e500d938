"""A run is held against an earlier one: noise is let be, what got worse beyond it is an error with its figures."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from harness.capture.model import Capture, End, Head, stamped
from harness.diagnose.run import diagnose
from harness.errors import InputError
from harness.runs.baseline import changes, held_against


def answer(
    number: int, *, ttft: float = 100.0, gap: float = 20.0, lump: int = 1, whole: bool = True, hop: str = "engine"
) -> Capture:
    """Forty words; the first after ``ttft`` ms, then ``lump`` of them every ``lump * gap`` ms."""
    reads, t, events = [], ttft, []
    for word in range(40):
        delta = {"choices": [{"index": 0, "delta": {"content": f"t{word} "}}]}
        events.append(b"data: " + json.dumps(delta).encode() + b"\n\n")
        if len(events) == lump:
            reads.append((t, b"".join(events)))
            t, events = t + gap * lump, []
    if whole:
        finish = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
        reads.append((t, finish))
    body, times, ends = stamped(reads)
    head = Head(ttft / 2, 200, "1.1", (("content-type", "text/event-stream"),))
    end = End(t + 1, "complete" if whole else "truncated")
    return Capture(
        hop, "engine", repeat=number, exchange=f"{hop}{number}{ttft}", head=head, body=body, times=times, ends=ends,
        end=end,
    )  # fmt: skip


NOISE = (-6.0, 4.0, 0.0, 7.0, -3.0)


def run(**more: float) -> list[Capture]:
    base = more.pop("ttft", 100.0)
    return [answer(n, ttft=base + jitter, **more) for n, jitter in enumerate(NOISE)]


def worse(before: list[Capture], now: list[Capture]) -> list[str]:
    return [change.figure for change in changes(before, now) if change.worse]


def test_noise_is_no_regression():
    assert worse(run(), run(ttft=108, gap=20.5)) == []
    assert held_against(diagnose(run()), changes(run(), run())).verdict.healthy is True


@pytest.mark.parametrize(
    ("more", "figure"),
    [
        ({"ttft": 180.0}, "TTFT"),
        ({"gap": 30.0}, "ITL mean"),
        ({"lump": 4}, "coalescing"),
        ({"gap": 30.0}, "end"),
    ],
    ids=["ttft", "itl", "coalescing", "end"],
)
def test_what_got_worse_is_an_error_with_its_figures(more, figure):
    found = changes(run(), run(**more))
    mine = next(change for change in found if change.figure == figure)
    assert mine.worse and mine.now - mine.baseline > mine.noise > 0 and mine.repeats == (5, 5)
    verdict = held_against(diagnose(run()), found).verdict
    assert (verdict.healthy, verdict.first_bad_hop) == (False, "engine")
    assert "→" in verdict.summary and "noise" in verdict.summary


def test_getting_better_is_no_regression():
    assert worse(run(ttft=300.0, gap=40.0, lump=4), run()) == []


def test_a_noisy_baseline_hides_what_a_quiet_one_shows():
    wild = [answer(n, ttft=ttft) for n, ttft in enumerate((60.0, 90.0, 120.0, 170.0, 230.0))]
    assert worse(wild, run(ttft=180.0)) == [] and "TTFT" in worse(run(), run(ttft=180.0))


def test_one_bad_end_is_a_change_where_there_was_none_and_chance_where_there_were_some():
    bad = [*run()[:4], answer(4, whole=False)]
    assert worse(run(), bad) == ["bad ends"]
    assert worse(bad, bad) == []


def test_a_single_repeat_needs_more():
    assert worse([answer(0)], [answer(0, ttft=125.0)]) == []
    assert worse([answer(0)], [answer(0, ttft=160.0)]) == ["TTFT"]


def test_a_fault_that_was_there_stays_the_verdict():
    cut = [answer(n, whole=False) for n in range(3)]
    verdict = held_against(diagnose(cut), changes(run(), cut)).verdict
    assert (verdict.healthy, verdict.symptom) == (False, "truncation") and "baseline" not in verdict.summary


def test_a_baseline_of_another_route_is_refused():
    with pytest.raises(InputError, match="no hop of this run"):
        changes([replace(answer(0), hop="other")], run())
