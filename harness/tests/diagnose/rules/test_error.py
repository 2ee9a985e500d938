"""Whose fault a refusal is that never comes out."""

from __future__ import annotations

import json

import pytest

from harness.capture.model import Capture
from harness.tests.diagnose.build import capture, told

BODY = json.dumps({"error": {"message": "invalid key", "code": 401}}).encode()


def refusing() -> Capture:
    return capture([(40.0, BODY)], status=401, headers=(("content-type", "application/json"),))


def silent(end: str, ms: float, status: int | None = None) -> Capture:
    return capture([], hop="gateway", status=status, end=end, end_ms=ms)


@pytest.mark.parametrize(("end", "status"), [("open", None), ("timeout", None), ("open", 200)])
def test_who_answers_nothing_hides_the_refusal(end: str, status: int | None) -> None:
    verdict = told(refusing(), silent(end, 30_000.0, status)).verdict
    assert verdict.first_bad_hop == "gateway" and verdict.symptom == "error"


def test_a_recording_that_stopped_soon_leaves_the_refusal_where_it_is() -> None:
    assert told(refusing(), silent("open", 900.0)).verdict.first_bad_hop == "engine"


def test_who_was_left_by_the_reader_hides_nothing() -> None:
    assert told(refusing(), silent("aborted", 30_000.0)).verdict.first_bad_hop == "engine"
