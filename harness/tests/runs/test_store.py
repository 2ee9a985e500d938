"""Runs go into the database and come back equal, with every body kept once."""

from array import array
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from harness.capture.model import Capture, Clock, End, Head, Request, stamped
from harness.diagnose.answer import Answer, Verdict
from harness.models import Exchange, Progress, Run, Tap
from harness.runs.pack import pack_stamps, unpack_stamps
from harness.runs.store import answer_of, load_captures, save_run

pytestmark = pytest.mark.django_db

BODY, TIMES, ENDS = stamped([(1.5, b'data: {"a":1}\n\n'), (2.25, b"data: \xf0\x9f"), (3.125, b"\x98\x80\n\n")])
READ = Capture(
    hop="gateway",
    kind="gateway",
    exchange="x1",
    route="r",
    request=Request(url="http://gw/v1/chat/completions", headers=(("authorization", "***"),), body={"n": 2**60}),
    sent_at="2026-11-30T12:00:00.123456Z",
    clock=Clock("host", "monotonic", 1e-6),
    meta={"fresh": True},
    extra={"later": [1]},
    head=Head(1.25, 200, "1.1", (("content-type", "text/event-stream"),), {"reason": "OK"}),
    body=BODY,
    times=TIMES,
    ends=ENDS,
    end=End(4.5, "complete"),
    read_extra={1: {"note": "split"}},
)
WRITE = replace(READ, hop="app", kind="app", tap="write", request=None, times=array("d", [1.6, 2.3, 3.2]))
ARRIVE = replace(
    WRITE,
    hop="network-path",
    kind="network-path",
    tap="arrive",
    clock=Clock("tab", "performance", 0.005, -12.5, 0.4),
    body=BODY[:-1],
    times=array("d", [9.0]),
    ends=array("Q", [len(BODY) - 1]),
    end=End(9.5, "aborted", "we"),
    read_extra={},
)


def test_captures_come_back_equal_and_in_order() -> None:
    save_run("x1", [READ, WRITE, ARRIVE], kind="chat", route="r")
    assert load_captures("x1") == [READ, WRITE, ARRIVE]


def test_taps_of_one_exchange_keep_its_body_once() -> None:
    save_run("x1", [READ, replace(WRITE, body=None), ARRIVE], kind="chat")
    assert Exchange.objects.count() == 1
    assert load_captures("x1")[1].body == BODY


def test_bytes_that_differ_are_kept_apart() -> None:
    other = replace(WRITE, body=b"x" * len(BODY))
    save_run("x1", [READ, other], kind="chat")
    assert Exchange.objects.count() == 2
    assert load_captures("x1") == [READ, other]


def test_hops_of_a_ladder_are_exchanges_of_their_own_though_their_bytes_are_equal() -> None:
    engine = replace(READ, hop="engine", kind="engine")
    save_run("ladder", [engine, READ], kind="ladder")
    assert Exchange.objects.count() == 2


def test_repeats_are_told_apart() -> None:
    runs = [replace(READ, repeat=n) for n in range(3)]
    save_run("r", runs, kind="ladder")
    assert load_captures("r") == runs


def test_stamps_without_any_bytes_stay_stamps() -> None:
    lonely = replace(WRITE, body=None)
    save_run("x1", [lonely], kind="chat")
    assert load_captures("x1") == [lonely]


def test_a_capture_that_reached_nothing_is_kept() -> None:
    nothing = Capture(hop="engine", exchange="x2", end=End(0.5, "reset", "connection refused"))
    save_run("x2", [nothing], kind="probe")
    assert load_captures("x2") == [nothing]


def test_saving_again_replaces_and_keeps_the_start() -> None:
    first = save_run("x1", [READ, WRITE], kind="chat")
    again = save_run("x1", [READ], kind="chat", state=Run.State.INTERRUPTED)
    assert (again.started, again.state, Tap.objects.count()) == (first.started, "interrupted", 1)


def test_an_id_that_comes_again_takes_nothing_away(caplog: pytest.LogCaptureFixture) -> None:
    """Somebody's script sends one exchange id over and over: the latest run has it, a pinned one stays, pin and all."""
    for hour in range(3):
        save_run(
            "x1", [replace(READ, meta={"hour": hour})], kind="chat", started=datetime(2026, 1, 1, hour, tzinfo=UTC)
        )
        if not hour:
            Run.objects.update(pinned=True)
            Progress.objects.create(run_id="x1", text="said")
    kept = {run.pk: (run.started.hour, run.pinned) for run in Run.objects.all()}
    assert kept == {"x1": (2, False), "x1~2": (0, True), "x1~3": (1, False)}
    assert [load_captures(name)[0].meta["hour"] for name in ("x1", "x1~2", "x1~3")] == [2, 0, 1]
    assert Progress.objects.get().run_id == "x1~2" and "x1~2" in caplog.text


def test_one_that_is_judged_late_does_not_take_the_id_back() -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    for minute in (0, 1, 0, 0):
        captures = [replace(READ, meta={"minute": minute})]
        save_run("x1", captures, kind="chat", started=noon + timedelta(minutes=minute))
    assert {run.pk: run.started.minute for run in Run.objects.all()} == {"x1": 1, "x1~2": 0}
    assert load_captures("x1~2")[0].meta == {"minute": 0} and Tap.objects.count() == 2


def test_a_run_that_is_judged_anew_keeps_what_its_gateways_log_said() -> None:
    save_run("x1", [READ], kind="chat", answer={"verdict": {}, "logs": [1]})
    save_run("x1", [READ], kind="chat", answer={"verdict": {"healthy": True}})
    assert answer_of("x1") == {"verdict": {"healthy": True}, "logs": [1]}


def test_the_answer_comes_back_as_json_and_is_none_while_there_is_none() -> None:
    answer = Answer((), (), Verdict(True, None, None, "certain", "All well."))
    save_run("x1", [], kind="chat", answer=answer)
    save_run("x2", [], kind="chat")
    assert answer_of("x1") == answer.as_json()
    assert answer_of("x2") is None and answer_of("nobody") is None
    assert load_captures("nobody") == []


def test_the_database_holds_the_body_compressed_and_the_request_once() -> None:
    long = b"data: token\n\n" * 10_000
    read = replace(READ, body=long, times=array("d", [1.0]), ends=array("Q", [len(long)]), read_extra={})
    save_run("x1", [read, replace(read, hop="app", tap="write")], kind="chat")
    exchange = Exchange.objects.get()
    assert len(exchange.body) < len(long) / 20
    assert exchange.request["url"] == "http://gw/v1/chat/completions"
    assert [("request" in tap.opening, tap.shares_request) for tap in exchange.taps.all()] == [(False, True)] * 2


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_packed_stamps_come_back_exactly(count: int) -> None:
    times = array("d", (n * 0.1 for n in range(count)))
    ends = array("Q", (n * 2**33 for n in range(count)))
    assert unpack_stamps(pack_stamps(times, ends)) == (times, ends)
