"""Whatever was imported comes back the same from a capture file and from a HAR of ours, packed or not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.capture.format import dumps, loads
from harness.capture.model import Capture
from harness.capture.sniff import load_any
from harness.diagnose.run import diagnose
from harness.report.har import to_har
from harness.tests.build import DONE, FINISH, event
from harness.tests.capture.strategies import captures

FIXTURES = Path(__file__).parent / "fixtures"
BODY = b"".join(event(f"w{i} 引 ") for i in range(8)) + FINISH + DONE
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n"
MESSAGES = [
    {"time": 1796040000.1 + i / 7, "data": block[6:].decode()} for i, block in enumerate(BODY.split(b"\n\n")[:-1])
]
HAR = {
    "startedDateTime": "2026-11-30T12:00:00.001Z", "time": 900, "timings": {"send": 1, "wait": 80, "receive": 819},
    "request": {"method": "POST", "url": "https://h/v1/chat/completions", "headers": [], "postData": {"text": "{}"}},
    "response": {"status": 200, "httpVersion": "h2", "headers": [], "content": {"text": BODY.decode()}},
}  # fmt: skip
RECORDINGS: dict[str, bytes] = {
    **{path.name: path.read_bytes() for path in sorted(FIXTURES.glob("*.txt"))},
    "body": BODY,
    "head and coded body": HEAD + gzip.compress(BODY),
    "head and decoded body": HEAD + BODY,
    "stamped lines": b"".join(b"0.%06d " % (31_337 * i) + line for i, line in enumerate(BODY.splitlines(True))),
    "half a character": BODY[: BODY.index("引".encode()) + 1],
    "HAR": json.dumps({"log": {"entries": [HAR]}}).encode(),
    "HAR with messages": json.dumps({"log": {"entries": [HAR | {"_eventSourceMessages": MESSAGES}]}}).encode(),
}  # fmt: skip


@pytest.mark.parametrize("data", RECORDINGS.values(), ids=RECORDINGS.keys())
def test_what_was_imported_comes_back_the_same_and_is_judged_the_same(data: bytes) -> None:
    imported = load_any(data, "engine.txt")
    verdict = diagnose(imported).as_json()
    assert [loads(dumps(capture)) for capture in imported] == imported
    for har in (to_har(imported), gzip.compress(to_har(imported))):
        again = load_any(har, "other.har.gz")
        assert again == imported
        assert diagnose(again).as_json() == verdict


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=40)
@given(st.lists(captures(), min_size=1, max_size=3))
def test_several_captures_come_back_in_their_order(given_captures: list[Capture]) -> None:
    again = load_any(to_har(given_captures), "x.har")
    assert again == given_captures
    assert [load_any(to_har(given_captures), "x.har", entry=at)[0] for at in range(len(again))] == given_captures


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=40)
@given(captures())
def test_a_capture_is_known_among_all_formats(capture: Capture) -> None:
    assert load_any(dumps(capture), "x") == [capture]
    assert load_any(gzip.compress(dumps(capture)), "x.gz") == [capture]
