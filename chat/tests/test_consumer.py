"""The stamps socket over Channels: answers, live server stamps, and the verdict by itself."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator

from chat.consumer import StampConsumer
from chat.tests.recorded import EVENT, closing, ended, recorded, settled
from harness.runs import live
from harness.runs.epoch import now_ms
from harness.runs.store import load_captures

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
async def own_data(tmp_path: Path, settings: Any) -> AsyncIterator[None]:
    settings.DATA_DIR = tmp_path
    async with closing():
        yield


@pytest.fixture
async def socket() -> AsyncIterator[WebsocketCommunicator]:
    socket = WebsocketCommunicator(StampConsumer.as_asgi(), "/ws/stamps/")
    assert (await socket.connect())[0]
    yield socket
    await socket.disconnect()


async def tell(socket: WebsocketCommunicator, kind: str, **fields: Any) -> None:
    await socket.send_json_to({"type": kind, "exchange": "x", **fields})


async def hear(socket: WebsocketCommunicator, kind: str) -> dict[str, Any]:
    """The next frame of that type."""
    while True:
        frame: dict[str, Any] = await socket.receive_json_from(timeout=10)
        if frame["type"] == kind:
            return frame


async def arrived(socket: WebsocketCommunicator) -> None:
    for tap in ("arrive", "paint"):
        await tell(socket, "stamps", tap=tap, rows=[[5.0, len(EVENT)]])
        await tell(socket, "end", tap=tap, t=6.0, end="complete", detail="")


async def test_sync_is_answered_on_the_clock_of_the_server_stamps(socket: WebsocketCommunicator) -> None:
    before = now_ms()
    await tell(socket, "sync", t0=17.5)
    frame = await hear(socket, "sync")
    assert frame["t0"] == 17.5 and before <= frame["t1"] <= frame["t2"] <= now_ms()


async def test_a_frame_that_makes_no_sense_is_answered_and_the_line_stays(socket: WebsocketCommunicator) -> None:
    await socket.send_to(text_data="{")
    assert (await hear(socket, "error"))["code"] == "not-json"
    await socket.send_to(bytes_data=b"\xff\xfe")
    assert (await hear(socket, "error"))["code"] == "not-json"
    await tell(socket, "sync", t0=1)
    assert (await hear(socket, "sync"))["t0"] == 1


async def test_server_stamps_and_the_verdict_come_by_themselves_and_all_taps_are_stored(
    socket: WebsocketCommunicator,
) -> None:
    await tell(socket, "hello")  # before the POST has arrived, as from a browser
    await tell(socket, "begin", sent_at_ms=now_ms())
    recorder = recorded("x")
    rows = (await hear(socket, "live"))["rows"]
    assert rows == [[recorder.writes[0][0], len(EVENT)]]
    await arrived(socket)
    ended(recorder)
    verdict = await hear(socket, "verdict")
    assert verdict["final"] is True and verdict["answer"]["verdict"]["healthy"] is True
    assert [row["tap"] for row in verdict["answer"]["captures"]] == ["read", "write", "arrive", "paint"]
    stored = await live.off_loop(load_captures, "x")
    assert [capture.body for capture in stored] == [EVENT] * 4


async def test_a_browser_that_still_receives_gets_a_first_verdict_and_then_the_last(
    socket: WebsocketCommunicator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "GRACE", 0.05)
    await tell(socket, "begin", sent_at_ms=now_ms())
    await tell(socket, "sync", t0=0)
    await hear(socket, "sync")  # the begin before it has been taken in
    ended(recorded("x"))
    first = await hear(socket, "verdict")
    assert (first["final"], len(first["answer"]["captures"])) == (False, 2)
    await arrived(socket)
    last = await hear(socket, "verdict")
    assert (last["final"], len(last["answer"]["captures"])) == (True, 4)


async def test_a_browser_that_vanishes_leaves_what_it_had_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "GRACE", 0.05)
    socket = WebsocketCommunicator(StampConsumer.as_asgi(), "/ws/stamps/")
    await socket.connect()
    recorder = recorded("x")
    await tell(socket, "begin", sent_at_ms=now_ms())
    await tell(socket, "stamps", tap="arrive", rows=[[5.0, 10]])
    await tell(socket, "sync", t0=0)
    await hear(socket, "sync")
    await socket.disconnect()
    ended(recorder)
    await settled("x")
    arrive = (await live.off_loop(load_captures, "x"))[2]
    assert (arrive.tap, arrive.body, arrive.end.kind if arrive.end else "") == ("arrive", EVENT[:10], "open")


async def test_an_exchange_that_never_ran_leaves_nothing_behind(socket: WebsocketCommunicator) -> None:
    await tell(socket, "begin", sent_at_ms=now_ms())
    await tell(socket, "sync", t0=0)
    await hear(socket, "sync")
    assert "x" in live.running
    await socket.disconnect()
    assert "x" not in live.running
