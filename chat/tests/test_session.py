"""The stamp session without a socket: commands in, answers out, stamps in the browser's side."""

from array import array

import pytest

from chat.frames import Begin, ClockIs, Command, Ended, Hello, Stamps, Sync
from chat.session import MOST_EXCHANGES, Session
from harness.capture.model import End
from harness.runs.browser import BrowserSide


@pytest.fixture
def sides() -> dict[str, BrowserSide]:
    return {}


@pytest.fixture
def session(sides: dict[str, BrowserSide]) -> Session:
    return Session(lambda exchange: sides.setdefault(exchange, BrowserSide(exchange)), "tab")


def told(session: Session, *commands: Command) -> list[dict[str, object]]:
    return [answer for command in commands for answer in session.handle(command, 0.0)]


def test_a_sync_is_answered_with_the_time_at_which_it_came(session: Session) -> None:
    assert session.handle(Sync(5.0), 1234.5) == [{"type": "sync", "t0": 5.0, "t1": 1234.5}]


def test_stamps_become_captures_on_the_browsers_clock(session: Session, sides: dict[str, BrowserSide]) -> None:
    assert not told(
        session,
        Hello("x"),
        ClockIs("x", -3.0, 0.25, 0.005, True),
        Begin("x", 1_796_000_000_000.5),
        Stamps("x", "arrive", [(1.0, 10), (2.0, 20)]),
        Stamps("x", "paint", [(9.0, 20)]),
        Ended("x", "arrive", 3.0, "complete", ""),
        Ended("x", "paint", 9.5, "complete", ""),
    )
    arrive, paint = sides["x"].captures()
    assert (arrive.hop, arrive.kind, arrive.tap, arrive.exchange) == ("network-path", "network-path", "arrive", "x")
    assert (arrive.times, arrive.ends, arrive.body) == (array("d", [1.0, 2.0]), array("Q", [10, 20]), None)
    assert arrive.content_decoded and arrive.sent_at == "2026-11-30T00:53:20.000500Z"
    assert arrive.clock is not None and (arrive.clock.id, arrive.clock.offset_ms) == ("tab", -3.0)
    assert arrive.clock.extra == {"isolated": True}
    assert (paint.hop, paint.kind, paint.end) == ("browser", "browser", End(9.5, "complete"))
    assert sides["x"].ended


def test_exchanges_on_one_line_are_not_mixed(session: Session, sides: dict[str, BrowserSide]) -> None:
    told(
        session, Stamps("a", "arrive", [(1.0, 1)]), Stamps("b", "arrive", [(2.0, 2)]), Stamps("a", "arrive", [(3.0, 3)])
    )
    assert {name: list(side.lanes["arrive"].ends) for name, side in sides.items()} == {"a": [1, 3], "b": [2]}


@pytest.mark.parametrize(
    ("code", "before", "illegal"),
    [
        ("after-end", [Ended("x", "arrive", 1.0, "complete", "")], Stamps("x", "arrive", [(2.0, 5)])),
        ("after-end", [Ended("x", "arrive", 1.0, "complete", "")], Ended("x", "arrive", 2.0, "reset", "")),
        ("offset-falls", [Stamps("x", "arrive", [(1.0, 5)])], Stamps("x", "arrive", [(2.0, 6), (3.0, 4)])),
        ("begun", [Begin("x", 1e12)], Begin("x", 2e12)),
    ],
    ids=["stamp after end", "end after end", "offset falls", "begun twice"],
)
def test_an_illegal_move_is_answered_and_changes_nothing(
    session: Session, sides: dict[str, BrowserSide], code: str, before: list[Command], illegal: Command
) -> None:
    told(session, *before)
    kept = (sides["x"].captures(), sides["x"].sent_at, sides["x"].arrived)
    (answer,) = told(session, illegal)
    assert (answer["type"], answer["code"], answer["exchange"]) == ("error", code, "x")
    assert (sides["x"].captures(), sides["x"].sent_at, sides["x"].arrived) == kept


def test_one_line_cannot_open_exchanges_without_end(session: Session, sides: dict[str, BrowserSide]) -> None:
    told(session, *(Hello(f"x{n}") for n in range(MOST_EXCHANGES)))
    (answer,) = told(session, Hello("one-more"))
    assert answer["code"] == "too-many" and len(sides) == MOST_EXCHANGES


def test_a_tab_that_vanished_leaves_an_open_end_and_can_be_gone_on_with(
    session: Session, sides: dict[str, BrowserSide]
) -> None:
    told(session, Begin("x", 1e12), Stamps("x", "arrive", [(1.0, 5)]))
    stored = sides["x"].captures()
    assert stored[0].end == End(1.0, "open", "interrupted")
    again = BrowserSide.resumed("x", stored)
    rest = Session(lambda _: again, "tab")
    told(rest, Stamps("x", "arrive", [(2.0, 9)]), Ended("x", "arrive", 3.0, "complete", ""))
    (arrive,) = again.captures()
    assert (list(arrive.ends), arrive.end, arrive.sent_at) == ([5, 9], End(3.0, "complete"), stored[0].sent_at)
