"""Whose fault it is: refusals and cuts that are passed on, laundered or hidden; timers; the chain of a Stop."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.capture.model import Capture, Clock
from harness.diagnose.answer import Answer
from harness.diagnose.knowledge.timers import near, round_seconds, suspects
from harness.tests.diagnose.build import DONE, answer, capture, chunk, errors, numbered, spaced, told

EVENTS = answer(numbered())
ERROR = b'data: {"error":{"message":"engine died","code":500}}\n\n'


def bad(found: Answer) -> tuple[str | None, str | None]:
    return found.verdict.symptom, found.verdict.first_bad_hop


def refusal(status: int = 401, hop: str = "engine") -> Capture:
    body = b'{"error":{"message":"no"}}'
    return capture([(9.0, body)], hop=hop, status=status, headers=(("content-type", "application/json"),))


def cut(hop: str, end: str, count: int = 9, ms: float = 100.0) -> Capture:
    return capture(spaced(EVENTS[:count], ms), hop=hop, end=end)


@pytest.mark.parametrize("inner", ["reset", "truncated", "complete"])
@pytest.mark.parametrize("outer", ["reset", "truncated"])
def test_a_cut_that_is_passed_on_is_one_fault_at_the_inner_hop(inner: str, outer: str) -> None:
    found = told(cut("engine", inner), cut("gateway", outer, ms=102), cut("proxy", outer, ms=104))
    assert found.verdict.first_bad_hop == "engine"
    assert {f.hop for f in found.findings if f.severity == "error"} == {"engine"}


def test_a_cut_that_is_laundered_makes_two_bad_hops() -> None:
    whole = capture(spaced([*EVENTS[:9], chunk(finish="stop"), DONE]), hop="gateway")
    found = told(cut("engine", "reset"), whole)
    assert bad(found) == ("reset", "engine")
    assert {f.hop for f in found.findings if f.severity == "error"} == {"engine", "gateway"}


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_a_refusal_belongs_to_its_own_hop_while_it_is_passed_on(status: int) -> None:
    found = told(refusal(status), refusal(502, "gateway"))
    assert bad(found) == ("error", "engine")
    assert {f.hop for f in found.findings if f.severity == "error"} == {"engine"}


@pytest.mark.parametrize(
    "outer",
    [
        capture([], hop="gateway"),
        capture([], hop="gateway", end="open", end_ms=30_000.0),
        capture([], hop="gateway", end="truncated"),
        capture([(20.0, chunk(finish="stop") + DONE)], hop="gateway"),
    ],
    ids=["empty", "silent", "cut", "empty-answer"],
)
def test_a_refusal_that_is_hidden_belongs_to_the_hop_that_hides_it(outer: Capture) -> None:
    for chain in ([refusal(), outer], [refusal(), refusal(502, "relay"), outer]):
        assert bad(told(*chain)) == ("error", "gateway")


def test_an_error_event_that_is_swallowed_belongs_to_the_hop_that_swallows_it() -> None:
    engine = capture(spaced([*EVENTS[:9], ERROR, DONE]))
    assert bad(told(engine, capture(spaced([*EVENTS[:9], DONE]), hop="gateway"))) == ("error", "gateway")
    assert bad(told(engine, capture(spaced([*EVENTS[:9], ERROR, DONE]), hop="gateway"))) == ("error", "engine")


def test_nobody_at_the_address_is_an_error_only_beside_a_hop_that_answered() -> None:
    dead = capture([], status=None, end="reset", detail="connection refused", end_ms=0.3)
    assert bad(told(dead, refusal(502, "proxy"))) == ("error", "engine")
    alone = told(dead)
    assert (alone.verdict.healthy, alone.verdict.confidence) == (None, "cannot-tell")
    assert told(dead, replace(dead, hop="proxy")).verdict.healthy is None


def test_a_recording_that_stopped_is_no_word_of_health() -> None:
    half = capture(spaced(EVENTS[:9]), end="open")
    assert told(half).verdict.healthy is None
    assert told(half, replace(half, hop="proxy")).verdict.healthy is None
    whole = capture(spaced(EVENTS))
    assert told(whole, replace(half, hop="proxy")).verdict.healthy is None
    assert told(half, replace(whole, hop="proxy")).verdict.healthy is True
    assert told(capture([], end="timeout", end_ms=4000.0, status=None)).verdict.healthy is None


@pytest.mark.parametrize(("stopper", "broken"), [((8, 40, 40), "gateway"), ((8, 9, 40), "gateway"), ((8, 8, 8), None)])
def test_a_stop_breaks_at_the_hop_that_does_not_pass_it_on(stopper: tuple[int, int, int], broken: str | None) -> None:
    """Outside in: app is stopped by us after ``stopper[0]`` events; gateway and engine run on as told."""
    long = answer(numbered(60))
    counts = dict(zip(("app", "gateway", "engine"), stopper, strict=True))
    chain = []
    for hop in ("engine", "gateway", "app"):
        count = counts[hop]
        left = count < 40
        stamped = capture(
            spaced(long[:count] if left else long, gap=100.0), hop=hop, end="aborted" if left else "complete",
            exchange="x", clock=Clock("c"), sent_at="2026-01-01T00:00:00Z",
        )  # fmt: skip
        chain.append(stamped)
    found = told(*chain)
    if broken is None:
        assert found.verdict.healthy is True
    else:
        assert found.verdict.symptom == "not-cancelled"
        assert found.verdict.first_bad_hop == ("app" if stopper[1] == 40 else broken)


@pytest.mark.parametrize(
    ("ms", "counts", "kind", "product"),
    [
        (60_020.0, "idle", "proxy", "nginx"),
        (15_010.0, "total", "proxy", "Envoy"),
        (16_050.0, "total", "proxy", "Envoy"),
        (300_100.0, "total", "proxy", "OpenShift"),
        (4_998.0, "idle", "app", "httpx"),
    ],
)
def test_round_times_name_their_suspects(ms: float, counts: str, kind: str, product: str) -> None:
    assert any(product in timer.product for timer in suspects(ms, counts, kind))


def test_times_that_are_not_round_name_nobody() -> None:
    assert round_seconds(7_340.0) is None
    assert suspects(44_000.0, "idle", "proxy") == []
    assert not near(61_500.0, 60)


@pytest.mark.parametrize(("gap", "silence", "timer"), [(950.0, 40.0, "total"), (100.0, 60_000.0, "idle")])
def test_flow_up_to_the_cut_is_a_total_limit_and_silence_an_idle_timer(gap: float, silence: float, timer: str) -> None:
    count = 63 if timer == "total" else 8
    reads = spaced(answer(numbered(80))[:count], 1000.0, gap)
    end = 60_010.0 if timer == "total" else reads[-1][0] + silence
    finding = next(
        f for f in told(capture(reads, end="truncated", end_ms=end, hop="proxy")).findings if f.symptom == "truncation"
    )
    assert (finding.evidence["timer"], finding.evidence["timer_s"]) == (timer, 60)
    assert finding.fix and ("keep" in finding.fix or "comment" in finding.fix) == (timer == "idle")


def test_confidence_and_needs() -> None:
    alone = told(capture([(400.0, b"".join(EVENTS))], hop="proxy")).verdict
    assert (alone.confidence, bool(alone.needs)) == ("likely", True)
    pair = told(capture(spaced(EVENTS)), capture([(600.0, b"".join(EVENTS))], hop="proxy")).verdict
    assert (pair.confidence, pair.needs) == ("certain", None)
    two = told(
        capture(spaced(EVENTS), exchange="one"), capture([(900.0, b"".join(EVENTS))], hop="proxy", exchange="two")
    ).verdict
    assert two.confidence == "likely" and two.needs
    assert errors(told(capture(spaced(EVENTS)))) == set()


def test_templates_are_translated_before_their_figures_are_filled_in() -> None:
    from harness.diagnose.run import diagnose

    heard: list[str] = []

    def german(template: str) -> str:
        heard.append(template)
        return "Abgebrochen nach {events} Ereignissen." if "{events}" in template else template

    found = diagnose([cut("engine", "reset")], translate=german)
    assert "Abgebrochen nach 9 Ereignissen." in {f.summary for f in found.findings}
    assert heard and "" not in heard  # gettext answers the empty text with its catalogue's header
    assert "reset" in diagnose([cut("engine", "reset")]).findings[0].summary


def test_a_connection_that_closes_without_a_word_is_an_error() -> None:
    silent = capture([], status=None, end="truncated", end_ms=80.0, detail="server closed")
    assert bad(told(silent)) == ("truncation", "engine")


@pytest.mark.parametrize("end", ["truncated", "complete", "reset"])
def test_a_recording_without_a_head_is_judged_all_the_same(end: str) -> None:
    assert errors(told(replace(cut("engine", end), head=None))) == {"reset" if end == "reset" else "truncation"}
    assert told(replace(capture(spaced(EVENTS)), head=None)).verdict.healthy is True


def test_a_stall_is_not_excused_by_a_body_that_stays_open_further_in() -> None:
    inner = capture(spaced(EVENTS), hop="engine", end="timeout", end_ms=10_500.0, detail="read timeout 10 s")
    outer = capture(spaced(EVENTS[:9], 103), hop="proxy", end="timeout", end_ms=10_263.0, detail="read timeout 10 s")
    found = told(inner, outer)
    assert {f.severity for f in found.findings if f.hop == "engine"} == {"warning"}
    assert bad(found) == ("stall", "proxy")
