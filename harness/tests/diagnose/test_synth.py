"""The lab's synthesiser as examiner: a thousand healthy exchanges, and every fault planted at every hop."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.diagnose.run import diagnose
from harness.lab import synth
from harness.lab.markers import Call
from harness.lab.registry import faults

HEALTHY = (
    "lab-steady",
    "lab-english",
    "lab-chinese",
    "lab-emoji",
    "lab-code",
    "lab-thinking",
    "lab-jittery",
    "lab-fast",
)
NOT_JUDGED = {"deaf", "hang", "no-first-byte", "trickle", "jitter", "late-close"}
"""Faults that need a reader who leaves, or whose class depends on how long they are made."""
SHOWN = {"clump": "burst"}
"""What a planted fault is behind a healthy hop, where that differs: an engine may emit several tokens at once, a hop
that collects them is a buffer."""


def planted(name: str, where: int, seed: int, kind: str, model: str) -> list[Capture]:
    places = list(synth.way("engine", "gateway", "app", "browser"))
    places[where] = replace(places[where], faults=(Call(name, {}),))
    return synth.chat(model, seed, places) if kind == "chat" else synth.ladder(model, seed, places[:3])


def rough(captures: list[Capture], seed: int) -> list[Capture]:
    """Jitter as it is met: the engine batches, a collector pauses for up to 120 ms, the radio for up to 250 ms."""
    rng = random.Random(seed)
    pauses = [(rng.uniform(200, 4000), rng.uniform(20, 120)) for _ in range(2)]
    radio = [(rng.uniform(200, 4000), rng.uniform(50, 250))]
    out = []
    for index, capture in enumerate(captures):
        held = pauses + (radio if index == len(captures) - 1 else [])
        times, last = capture.times[:], 0.0
        for i, t in enumerate(times):
            for start, width in held:
                if start <= t < start + width:
                    t = start + width
            last = max(last, t)
            times[i] = last
        end = capture.end and replace(capture.end, t=max(capture.end.t, last))
        out.append(replace(capture, times=times, end=end))
    return out


def told(answer: Answer) -> tuple[str, str | None]:
    verdict = answer.verdict
    return (verdict.symptom or "?") if verdict.healthy is False else "healthy", verdict.first_bad_hop


@pytest.mark.parametrize("model", HEALTHY)
def test_a_thousand_healthy_exchanges_raise_no_alarm(model: str) -> None:
    alarms = Counter[str]()
    for seed in range(125):
        captures = synth.chat(model, seed) if seed % 2 else synth.ladder(model, seed, synth.way("engine", "gateway"))
        answer = diagnose(rough(captures, seed))
        alarms.update(f"{f.code}@{f.hop}" for f in answer.findings if f.severity == "error")
        assert answer.verdict.healthy or alarms, answer.verdict.summary
    assert not alarms


def test_each_planted_fault_gets_its_class_and_its_hop(capsys: pytest.CaptureFixture[str]) -> None:
    table: dict[str, Counter[str]] = defaultdict(Counter)
    right = total = 0
    for name, fault in faults().items():
        if name in NOT_JUDGED:
            continue
        for where in range(3):
            for kind in ("chat", "ladder"):
                want = fault.symptom or (SHOWN.get(name, "healthy") if where else "healthy")
                answer = diagnose(planted(name, where, where, kind, "lab-steady"))
                symptom, hop = told(answer)
                place = ("engine", "gateway", "app")[where]
                warned = {f.symptom for f in answer.findings if f.severity != "info" and f.hop == place}
                holds = (symptom == want and hop in (place, None)) or (symptom == "healthy" and want in warned)
                table[want][want if holds else f"{symptom}@{hop} ({name} at {place}, {kind})"] += 1
                right, total = right + holds, total + 1
    with capsys.disabled():
        print("\n" + "\n".join(f"{want:14s} {dict(counts)}" for want, counts in sorted(table.items())))
        print(f"{right} of {total} right")
    assert right >= 0.98 * total
