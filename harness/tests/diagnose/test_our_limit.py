"""Where our own relay gives up on a silent hop, the silent hop is to blame, not the relay that says so."""

from __future__ import annotations

from typing import Any

import pytest

from harness.capture.model import Capture
from harness.diagnose.answer import Answer
from harness.diagnose.run import diagnose
from harness.tests.diagnose.build import answer, capture, chunk, numbered, spaced

WORDS = [chunk(f"w{i} ") for i in range(10)]


def read(events: list[bytes], *, detail: str = "read", **more: Any) -> Capture:
    return capture(spaced(events), end="timeout", detail=detail, exchange="x", **more)


def write(events: list[bytes], **more: Any) -> Capture:
    return capture(spaced(events, 101.0), hop="app", tap="write", exchange="x", **more)


def blamed(answer: Answer) -> tuple[bool | None, str | None, str | None]:
    return answer.verdict.healthy, answer.verdict.first_bad_hop, answer.verdict.symptom


@pytest.mark.parametrize("waited", [3_000.0, 120_000.0], ids=["short", "long"])
def test_a_504_of_ours_blames_the_hop_that_did_not_answer(waited: float) -> None:
    silent = read([], status=None, end_ms=waited)
    refused = write([], status=504, headers=[("content-type", "application/json")], end_ms=waited + 5)
    answer = diagnose([silent, refused])
    assert blamed(answer) == (False, "engine", "first-byte")
    assert [f.severity for f in answer.findings if f.hop == "app"] == ["info"]


@pytest.mark.parametrize("waited", [3_000.0, 120_000.0], ids=["short", "long"])
def test_a_cut_of_ours_blames_the_hop_that_opened_its_stream_and_fell_silent(waited: float) -> None:
    silent = read([], end_ms=waited)
    cut = write([], end="truncated", detail="upstream: timeout read", end_ms=waited + 5)
    assert blamed(diagnose([silent, cut])) == (False, "engine", "first-byte")


def test_a_cut_of_ours_blames_the_hop_that_fell_silent_in_the_middle() -> None:
    silent = read(WORDS, end_ms=60_300.0)
    cut = write(WORDS, end="truncated", detail="upstream: timeout read", end_ms=60_305.0)
    assert blamed(diagnose([silent, cut])) == (False, "engine", "stall")


def test_a_cut_of_ours_while_text_flowed_is_our_own() -> None:
    flowing = read(WORDS, detail="total", end_ms=300.0)
    cut = write(WORDS, end="truncated", detail="upstream: timeout total", end_ms=301.0)
    assert blamed(diagnose([flowing, cut])) == (False, "app", "truncation")


def test_an_endless_answer_that_we_end_is_not_called_complete() -> None:
    said = diagnose([read(WORDS, detail="size", end_ms=1002.0)])
    assert said.verdict.healthy is True and "stopped from our side" in said.verdict.summary
    assert "complete" not in said.verdict.summary


def test_a_gateway_that_gives_up_on_a_silent_engine_is_told_as_before() -> None:
    silent = read([], status=None, end_ms=120_000.0)
    gateway = capture([], hop="gateway", status=504, exchange="y", end_ms=60_000.0)
    assert blamed(diagnose([silent, gateway])) == (False, "gateway", "error")


@pytest.mark.parametrize("status", [None, 200], ids=["no head", "head"])
def test_a_probe_that_gives_up_blames_the_hop_that_stayed_silent_where_the_engine_had_answered(
    status: int | None,
) -> None:
    engine = capture(spaced(answer(numbered())), exchange="x")
    silent = read([], status=status, hop="gateway", end_ms=5_000.0)
    assert blamed(diagnose([engine, silent])) == (False, "gateway", "first-byte")


def test_a_probe_that_gives_up_at_once_blames_nobody() -> None:
    engine = capture(spaced(answer(numbered())), exchange="x")
    silent = read([], status=None, hop="gateway", end_ms=300.0)
    assert diagnose([engine, silent]).verdict.healthy is None


def test_a_stop_of_ours_that_two_taps_saw_is_told_in_one_sentence() -> None:
    left = [
        capture(spaced(answer(numbered())[:9]), hop=hop, end="aborted", detail="client-left")
        for hop in ("engine", "gateway")
    ]
    summary = diagnose(left).verdict.summary
    assert summary == "Healthy: stopped from our side, nothing wrong up to there at any of 2 taps."
