"""The engine model: batching, queue, prefill, memory, priority, abort."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from harness.lab.engine.model import Engine, Sequence
from harness.lab.engine.profile import Profile, presets
from harness.lab.engine.virtual import token_times

PLAIN = Profile("plain", step_ms=10, step_per_seq_ms=1, prefill_ms_per_1k=100)


def run(engine: Engine, now: float = 0.0, steps: int = 10_000) -> dict[int, list[float]]:
    """Token times by sequence id until there is nothing left to do."""
    times: dict[int, list[float]] = {}
    for _ in range(steps):
        step = engine.step(now)
        if step is None:
            return times
        now += step.duration
        for sequence, new in engine.commit(step, now):
            times.setdefault(sequence.id, []).extend([now] * new)
    raise AssertionError("the engine never came to rest")


def gaps(times: list[float]) -> list[float]:
    return [b - a for a, b in pairwise(times)]


def test_a_step_takes_longer_the_more_decode_together() -> None:
    alone, crowd = Engine(PLAIN), Engine(PLAIN)
    alone.submit(0, 10, 20)
    for _ in range(8):
        crowd.submit(0, 10, 20)
    assert gaps(run(alone)[1])[5] == 11
    assert gaps(run(crowd)[1])[5] == 18


def test_what_finds_no_seat_waits_for_one() -> None:
    engine = Engine(replace(PLAIN, max_num_seqs=2))
    rows = [engine.submit(0, 10, 5) for _ in range(3)]
    times = run(engine)
    assert rows[2].admitted is not None and rows[2].admitted >= times[1][-1]
    assert all(len(times[r.id]) == 5 for r in rows)


def test_a_chunked_prefill_slows_the_others_and_a_blocking_one_stops_them() -> None:
    longest = {}
    for chunked in (True, False):
        engine = Engine(replace(PLAIN, chunked_prefill=chunked, max_num_batched_tokens=512))
        short = engine.submit(0, 10, 60)
        now = 0.0
        times: list[float] = []
        for n in range(60):
            if n == 10:
                engine.submit(now, 5000, 5)
            step = engine.step(now)
            assert step is not None
            now += step.duration
            times += [now for s, new in engine.commit(step, now) if s is short for _ in range(new)]
        longest[chunked] = max(gaps(times))
    assert longest[True] < 100 < 500 < longest[False]


def test_memory_that_runs_out_preempts_the_last_and_computes_it_anew() -> None:
    engine = Engine(replace(PLAIN, kv_blocks=10, block_size=16))
    rows = [engine.submit(0, 60, 50) for _ in range(2)]
    times = run(engine)
    assert engine.preemptions > 0
    assert rows[0].preemptions == 0 and rows[1].preemptions > 0
    assert [len(times[r.id]) for r in rows] == [50, 50]
    assert max(gaps(times[2])) > 10 * min(gaps(times[2]))
    assert engine.blocks == {}


def test_a_request_larger_than_the_memory_still_ends() -> None:
    engine = Engine(replace(PLAIN, kv_blocks=2))
    engine.submit(0, 500, 5)
    assert len(run(engine)[1]) == 5


def test_priority_goes_before_age_when_the_policy_says_so() -> None:
    order = {}
    for policy in ("fcfs", "priority"):
        engine = Engine(replace(PLAIN, max_num_seqs=1, policy=policy))
        engine.submit(0, 10, 5, priority=5)
        late = engine.submit(1, 10, 5, priority=0)
        order[policy] = run(engine)[late.id][0]
    assert order["priority"] < order["fcfs"]


def test_an_abort_frees_seat_and_blocks_at_once() -> None:
    engine = Engine(replace(PLAIN, max_num_seqs=1))
    first, second = engine.submit(0, 100, 1000), engine.submit(0, 10, 3)
    step = engine.step(0)
    assert step is not None
    engine.abort(first)
    assert engine.kv_usage == 0
    assert engine.commit(step, 10) == []
    assert list(run(engine, 10)) == [second.id]


def test_speculation_makes_several_tokens_a_step_but_never_too_many() -> None:
    engine = Engine(replace(PLAIN, speculative=4, acceptance=0.8), seed="1")
    sequence: Sequence = engine.submit(0, 10, 101)
    times = run(engine)[1]
    assert len(times) == 101 == sequence.generated
    assert len(set(times)) < 50


def test_virtual_times_are_the_same_for_the_same_seed_and_worse_under_load() -> None:
    small = presets()["small"]
    calm, busy = token_times(small, 50, 30, seed="1"), token_times(small, 50, 30, seed="1", load=20)
    assert calm == token_times(small, 50, 30, seed="1")
    assert len(calm) == len(busy) == 32
    assert busy[-1] > 3 * calm[-1]
