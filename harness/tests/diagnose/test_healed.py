"""What broke behind a hop that made it good, and what only looks as if it had been."""

from __future__ import annotations

from harness.tests.diagnose.build import DONE, answer, capture, chunk, codes, errors, numbered, spaced, told

WHOLE = spaced(answer(numbered(30)))
BEGUN = WHOLE[:14]


def test_a_cut_that_the_next_hop_carries_on_is_a_warning() -> None:
    found = told(capture(BEGUN, end="truncated"), capture(WHOLE, hop="gateway"))
    assert found.verdict.healthy and "truncation.cut" in codes(found, "warning")
    assert next(f for f in found.findings if f.code == "truncation.cut").evidence["healed_by"] == "gateway"


def test_a_remark_and_a_made_up_end_heal_nothing() -> None:
    ends = [chunk("\n\n[the stream was interrupted]"), chunk(finish="stop"), DONE]
    found = told(capture(BEGUN, end="truncated"), capture([*BEGUN, *spaced(ends, 900)], hop="gateway"))
    assert found.verdict.first_bad_hop == "engine" and errors(found) >= {"truncation"}


def test_an_answer_that_begins_anew_is_not_carried_on() -> None:
    anew = [*BEGUN, *spaced(answer(numbered(30), role=False), 900)]
    assert told(capture(BEGUN, end="reset"), capture(anew, hop="gateway")).verdict.healthy is False


def test_what_heals_another_exchange_heals_not_this_one() -> None:
    refused = capture([(9.0, b"{}")], status=503, headers=(("content-type", "application/json"),), exchange="a")
    assert told(refused, capture(WHOLE, hop="gateway", exchange="b")).verdict.first_bad_hop == "engine"
    same = told(refused, capture(WHOLE, hop="gateway", exchange="a"))
    assert same.verdict.healthy and "error.status" in codes(same, "warning")


def test_an_engine_that_is_cut_after_our_stop_heard_it_so() -> None:
    stop = BEGUN[-1][0] + 10
    outer = capture(BEGUN, hop="gateway", end="aborted", end_ms=stop, exchange="a")
    after = capture(BEGUN, end="reset", end_ms=stop + 15, exchange="a")
    assert told(after, outer).verdict.healthy
    before = capture(BEGUN, end="reset", end_ms=stop - 8, exchange="a")
    assert told(before, outer).verdict.first_bad_hop == "engine"


def test_engines_of_a_pool_are_not_behind_one_another() -> None:
    begun = answer([f"a{i} " for i in range(9)], finish=None, done=False, ident="chatcmpl-00000000aaaa")
    first = capture(spaced(begun), hop="engine-1", end="aborted", exchange="a")
    second = capture(WHOLE, hop="engine-2", exchange="a")
    assert told(first, second, capture(WHOLE, hop="gateway", exchange="a")).verdict.healthy
    assert told(second, first, capture(WHOLE, hop="gateway", exchange="a")).verdict.healthy
