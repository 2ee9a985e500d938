"""A recording that lost text or never had times is not blamed for it."""

from dataclasses import replace

from harness.capture.model import Capture, End, stamped
from harness.diagnose.run import diagnose
from harness.tests.build import DONE, FINISH, HEAD, captured, event

EVENTS = [*(event(f"字 word{i} ") for i in range(30)), FINISH, DONE]


def capture(hop: str, reads: list[tuple[float, bytes]]) -> Capture:
    """Of one exchange, with the head at 50 ms and the end at 3 s."""
    head = replace(HEAD, t=50.0)
    return captured(hop, reads, exchange="x", head=head, end=End(3000.0, "complete"))


ENGINE = capture("engine", [(100 + 90.0 * i, event) for i, event in enumerate(EVENTS)])
AT_ONCE = capture("gateway", [(3000.0, b"".join(EVENTS))])


def test_a_har_without_event_times_is_no_burst() -> None:
    untimed = replace(AT_ONCE, meta={"timed": False})
    assert diagnose([ENGINE, AT_ONCE]).verdict.symptom == "burst"
    assert diagnose([AT_ONCE]).verdict.healthy is False
    assert diagnose([ENGINE, untimed]).verdict.healthy is True
    assert diagnose([untimed]).verdict.healthy is True


def test_a_har_without_event_times_still_shows_what_was_lost() -> None:
    cut = capture("gateway", [(3000.0, b"".join(EVENTS[:10] + EVENTS[20:]))])
    assert diagnose([ENGINE, replace(cut, meta={"timed": False})]).verdict.symptom == "loss"


def test_characters_that_a_lossy_dump_shows_as_dots_are_not_lost() -> None:
    assert ENGINE.body is not None
    lossy = replace(ENGINE, hop="gateway", kind="gateway", body=ENGINE.body.replace("字".encode(), b"..."))
    assert diagnose([ENGINE, lossy]).verdict.healthy is False
    assert diagnose([ENGINE, replace(lossy, meta={"lossy": "yes"})]).verdict.healthy is True


def test_a_lossy_dump_still_shows_what_was_lost() -> None:
    assert ENGINE.body is not None
    body, times, ends = stamped([(t, data) for t, data in ENGINE.reads() if b"word7" not in data])
    lossy = replace(ENGINE, hop="gateway", kind="gateway", meta={"lossy": "yes"}, times=times, ends=ends)
    lossy = replace(lossy, body=body.replace("字".encode(), b"..."))
    assert diagnose([ENGINE, lossy]).verdict.symptom == "loss"
