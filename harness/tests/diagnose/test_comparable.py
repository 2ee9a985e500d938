"""A recording that lost text or never had times is not blamed for it."""

from array import array
from dataclasses import replace

from harness.capture.model import Capture, End, stamped
from harness.diagnose.run import diagnose
from harness.language import speaking
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


def test_a_har_without_event_times_still_has_that_of_its_end() -> None:
    cut = replace(capture("gateway", [(3000.0, b"".join(EVENTS[:9]))]), end=End(3000.0, "truncated"))
    (found,) = (f for f in diagnose([replace(cut, meta={"timed": False})]).findings if f.code == "truncation.cut")
    assert found.at_ms == 3000.0 and "3.00 s" in found.summary
    nowhere = replace(cut, times=array("d", [0.0]), end=End(0.0, "truncated"), meta={"timed": False})
    (found,) = (f for f in diagnose([nowhere]).findings if f.code == "truncation.cut")
    assert found.at_ms is None
    assert "cut after 9 events: the connection closed" in found.summary
    with speaking("zh") as translate:
        assert found.summary.told(translate).startswith("回答在 9 个事件之后被截断")


def test_the_first_byte_is_not_judged_where_time_begins_with_it() -> None:
    late = [(1000.0 + t, data) for t, data in capture("gateway", [(90.0 * i, e) for i, e in enumerate(EVENTS)]).reads()]
    outer = capture("gateway", late)
    assert diagnose([ENGINE, outer]).verdict.symptom == "first-byte"
    for pair in (
        (ENGINE, replace(outer, meta={"began": "first-byte"})),
        (replace(ENGINE, meta={"began": "first-byte"}), outer),
    ):
        assert diagnose(list(pair)).verdict.healthy is True


def test_a_hidden_tab_is_blamed_for_nothing_that_it_could_not_paint() -> None:
    reads = [(100 + 90.0 * i, event) for i, event in enumerate(EVENTS)]
    arrive = replace(capture("network-path", reads), tap="arrive")
    for rows in (reads[:12], [*reads[:12], (21_000.0, b"".join(EVENTS[12:]))], [(2_000.0, b"".join(EVENTS))]):
        paint = replace(capture("browser", rows), tap="paint", end=End(21_001.0, "complete"))
        assert diagnose([arrive, paint]).verdict.first_bad_hop == "browser"
        assert diagnose([arrive, replace(paint, end=End(21_001.0, "complete", "hidden-tab"))]).verdict.healthy is True
