"""A line without end is told as what it is, however the recording ended."""

from __future__ import annotations

import pytest

from harness.diagnose.run import diagnose
from harness.tests.diagnose.build import answer, capture, codes, numbered, spaced
from harness.wire.sse import LIMIT

OLLAMA = [("content-type", "application/x-ndjson")]
ENDLESS = {"sse": b"data: " + b"x" * (LIMIT + 10), "ndjson": b'{"message": "' + b"x" * (LIMIT + 10)}


@pytest.mark.parametrize("end", ["truncated", "complete", "timeout", "open"])
@pytest.mark.parametrize("framing", ENDLESS)
def test_a_line_without_end_is_told_and_not_called_nothing(framing: str, end: str) -> None:
    more = {"wire": "ollama", "headers": OLLAMA} if framing == "ndjson" else {}
    found = diagnose([capture([(100.0, ENDLESS[framing])], end=end, detail="size" if end == "timeout" else "", **more)])
    assert codes(found, "error") >= {"malformed.line-limit"}
    assert "truncation.empty" not in codes(found)
    assert (found.verdict.healthy, found.verdict.first_bad_hop) == (False, "engine")


def test_a_line_without_end_after_an_answer_is_told_with_its_place() -> None:
    events = answer(numbered())
    found = diagnose([capture([*spaced(events), (900.0, ENDLESS["sse"])])])
    told = next(finding for finding in found.findings if finding.code == "malformed.line-limit")
    assert told.evidence["offset"] == sum(map(len, events))


def test_a_long_event_within_the_limit_is_none() -> None:
    found = diagnose([capture(spaced(answer([*numbered(), "x" * 1_000_000])))])
    assert "malformed.line-limit" not in codes(found)
