"""What a recording does not tell is no fault: no connection, no bytes, no known dialect."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from harness.capture.model import Capture, Head
from harness.diagnose.run import diagnose
from harness.tests.diagnose.build import answer, capture, spaced

GOOD = capture(spaced(answer([f"w{i} " for i in range(10)])))


def nobody(hop: str = "engine") -> Capture:
    return capture([], hop=hop, status=None, end="timeout", detail="connect", end_ms=10_012.0)


def test_a_connection_that_was_never_made_in_time_alone_gives_no_verdict() -> None:
    found = diagnose([nobody()])
    assert found.verdict.healthy is None
    assert "no connection within 10 s" in found.verdict.summary
    assert [(f.code, f.severity) for f in found.findings] == [("error.unreachable", "warning")]


def test_a_connection_that_was_never_made_in_time_beside_an_answer_is_an_error() -> None:
    verdict = diagnose([GOOD, nobody("gateway")]).verdict
    assert (verdict.healthy, verdict.first_bad_hop, verdict.symptom) == (False, "gateway", "error")


def test_a_port_that_never_shook_hands_is_not_told_as_nobody_there() -> None:
    silent = capture([], status=None, end="timeout", detail="tls handshake", end_ms=2_003.0)
    found = diagnose([silent])
    assert found.verdict.healthy is None
    assert "no TLS handshake within 2 s; is this port plain HTTP?" in found.verdict.summary
    (finding,) = found.findings
    assert finding.code == "error.unreachable" and finding.cause is not None and "Nobody" not in finding.cause
    assert diagnose([GOOD, replace(silent, hop="gateway")]).verdict.first_bad_hop == "gateway"


@pytest.mark.parametrize(
    ("detail", "code", "says"),
    [
        ("not HTTP: illegal status line: b'SSH-2.0'", "malformed.not-http", "not HTTP: illegal status line"),
        ("head too large: more than the 100 KiB that are read", "malformed.head-size", "too large: more than"),
    ],
    ids=["other protocol", "head"],
)
def test_what_came_in_place_of_a_response_is_told_and_not_a_crash(detail: str, code: str, says: str) -> None:
    found = diagnose([capture([], status=None, end="truncated", detail=detail, end_ms=5.0)])
    assert [(f.code, f.severity) for f in found.findings] == [(code, "error")]
    assert says in found.verdict.summary and "without any response" not in found.verdict.summary


def test_stamps_without_their_bytes_accuse_nobody() -> None:
    alone = replace(GOOD, body=None, hop="network-path", kind="network-path", tap="arrive", head=None)
    assert alone.times
    found = diagnose([alone])
    assert (found.verdict.healthy, found.findings) == (None, ())


def test_text_that_goes_into_an_unknown_dialect_is_no_health() -> None:
    ticks = capture([(100.0 + 50 * i, b'data: {"n": %d}\n\n' % i) for i in range(20)], hop="gateway", asked=None)
    verdict = diagnose([GOOD, ticks]).verdict
    assert (verdict.healthy, verdict.confidence) == (None, "cannot-tell")
    assert "gateway" in verdict.summary and "known here" in (verdict.needs or "")


def test_a_clean_end_of_events_of_an_unknown_dialect_is_no_cut() -> None:
    ticks = capture([(100.0 + 50 * i, b'data: {"n": %d}\n\n' % i) for i in range(20)], asked=None)
    found = diagnose([ticks])
    assert found.verdict.healthy is True
    assert found.as_json()["captures"][0]["outcome"] == "done"


def test_a_redirect_is_told_as_one() -> None:
    found = diagnose([capture([], status=302, headers=[("location", "https://gw.example/v1")])])
    assert found.as_json()["captures"][0]["outcome"] == "failed"
    assert found.verdict.symptom == "error"
    assert "302" in found.verdict.summary
    assert "https://gw.example/v1" in found.verdict.summary


def test_stamps_of_bytes_that_are_known_are_judged() -> None:
    cut = replace(GOOD, times=array("d", GOOD.times[:4]), ends=array("Q", GOOD.ends[:4]))
    cut = replace(cut, body=GOOD.body[: GOOD.ends[3]] if GOOD.body else None)
    assert diagnose([cut]).verdict.symptom == "truncation"


def test_a_whole_document_with_no_request_on_record_gives_no_verdict() -> None:
    body = b'{"choices": [{"index": 0, "message": {"content": "all of it"}, "finish_reason": "stop"}]}'
    head = Head(5.0, 200, "1.1", (("content-type", "application/json"),))
    at, upto = array("d", [10.0]), array("Q", [len(body)])
    document = replace(GOOD, head=head, body=body, times=at, ends=upto, request=None, wire="")
    assert diagnose([document]).verdict.healthy is None
