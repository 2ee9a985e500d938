"""What a recording cannot tell must not be judged: text that a lossy dump lost, times that a HAR never had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.capture.curl_ascii import as_shown
from harness.capture.model import Capture
from harness.diagnose.answer import Finding
from harness.phrase import without

TIMED_SYMPTOMS = frozenset({"first-byte", "stall", "burst"})
UNSEEN_SYMPTOMS = TIMED_SYMPTOMS | {"truncation", "loss", "render"}
HIDDEN = "hidden-tab"  # what our page says of a paint tap whose tab was out of sight for a while
TIMED_CODES = frozenset({"content.replay", "content.replay-alone", "content.replay-repeat"})


def comparable(captures: Sequence[Capture]) -> list[Capture]:
    """The captures; where one of them is lossy (``meta.lossy``), each shows only what that one could show."""
    if not any(capture.meta.get("lossy") for capture in captures):
        return list(captures)
    return [replace(c, body=as_shown(c.body)) if c.body and not _coded(c) else c for c in captures]


def tells(capture: Capture, finding: Finding) -> bool:
    """Whether this capture can bear the finding: one without event times (``meta.timed`` false) bears no delay, and
    one that began with its first byte (``meta.began``) none of that byte. A hidden tab paints nothing, and late: that
    is no loss and no delay."""
    if capture.tap == "paint" and capture.end is not None and capture.end.detail == HIDDEN:
        return finding.symptom not in UNSEEN_SYMPTOMS
    if not timed(capture):
        return finding.symptom not in TIMED_SYMPTOMS and finding.code not in TIMED_CODES
    return finding.symptom != "first-byte" or began_with_request(capture)


def timed(capture: Capture) -> bool:
    """Whether its reads have times of their own."""
    return capture.meta.get("timed") is not False


def timeless(capture: Capture) -> bool:
    """Whether it has no time at all: a HAR without event times still has that of its end."""
    return not timed(capture) and (capture.end is None or capture.end.t == 0.0)


def untimed(finding: Finding) -> Finding:
    """The finding without figures of time, which its recording never had."""
    kept = {name: value for name, value in finding.evidence.items() if not _is_time(name)}
    summary, cause, fix = (without(_is_time, text) for text in (finding.summary, finding.cause, finding.fix))
    return replace(finding, at_ms=None, evidence=kept, summary=summary, cause=cause, fix=fix)


def _is_time(name: str) -> bool:
    return name == "at" or name.endswith("_ms")


def began_with_request(capture: Capture) -> bool:
    """Whether its time begins when the request went out, as it should."""
    return capture.meta.get("began") != "first-byte"


def _coded(capture: Capture) -> bool:
    coding = capture.head.get("content-encoding", "identity") if capture.head else "identity"
    return coding != "identity" and not capture.content_decoded
