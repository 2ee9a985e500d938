"""POST /chat/stamps: a browser without a socket gets its verdict as the answer."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.test import AsyncClient

from chat import stamps
from chat.consumer import StampConsumer
from chat.tests.recorded import EVENT, ROUTE, closing, ended, recorded, settled
from harness.routes.model import Hop, Route
from harness.runs import live
from harness.runs.store import load_captures

pytestmark = pytest.mark.django_db(transaction=True)
BEGIN = {"type": "begin", "sent_at_ms": 1.796e12}
ROWS = [{"type": "stamps", "tap": tap, "rows": [[5.0, 10], [6.0, len(EVENT)]]} for tap in ("arrive", "paint")]
ENDS = [{"type": "end", "tap": tap, "t": 7.0, "end": "complete"} for tap in ("arrive", "paint")]


@pytest.fixture(autouse=True)
async def own_data(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(live, "GRACE", 0.05)
    async with closing():
        yield


async def post(body: Any, **extra: Any) -> Any:
    return await AsyncClient().post("/chat/stamps", body, content_type="application/json", **extra)


def taps(response: Any) -> list[str]:
    assert response.status_code == 200, response.content
    assert response.json()["type"] == "verdict"
    return [row["tap"] for row in response.json()["answer"]["captures"]]


async def test_frames_after_the_end_are_judged_with_what_is_stored() -> None:
    ended(recorded("x"))
    await settled("x")
    assert taps(await post({"exchange": "x", "frames": [BEGIN, *ROWS, *ENDS]})) == ["read", "write", "arrive", "paint"]
    stored = await live.off_loop(load_captures, "x")
    assert [(capture.tap, capture.body) for capture in stored] == [
        (tap, EVENT) for tap in ("read", "write", "arrive", "paint")
    ]


async def test_frames_within_the_grace_are_part_of_the_first_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "GRACE", 30.0)
    ended(recorded("x"))
    assert taps(await post({"exchange": "x", "frames": [BEGIN, *ROWS, *ENDS]})) == ["read", "write", "arrive", "paint"]


async def test_what_a_broken_socket_had_brought_is_gone_on_with() -> None:
    socket = WebsocketCommunicator(StampConsumer.as_asgi(), "/ws/stamps/")
    await socket.connect()
    recorder = recorded("x")
    for frame in (BEGIN, *ROWS):
        await socket.send_json_to({"exchange": "x", **frame})
    await socket.send_json_to({"type": "sync", "t0": 0})
    while (await socket.receive_json_from(10))["type"] != "sync":
        pass
    await socket.disconnect()
    ended(recorder)
    await settled("x")
    await post({"exchange": "x", "frames": ENDS})
    arrive = (await live.off_loop(load_captures, "x"))[2]
    assert (list(arrive.ends), arrive.end.kind if arrive.end else "") == ([10, len(EVENT)], "complete")


async def test_the_same_telling_twice_changes_nothing() -> None:
    ended(recorded("x"))
    await settled("x")
    first = await post({"exchange": "x", "frames": [BEGIN, *ROWS, *ENDS]})
    again = await post({"exchange": "x", "frames": [BEGIN, *ROWS, *ENDS]})
    assert first.json() == again.json()


async def test_a_declared_front_proxy_is_the_hop_that_arrives() -> None:
    front = Route("r", (*ROUTE.hops, Hop("app", "app", "chat", "http://a"), Hop("nginx", "proxy", "chat", "http://p")))
    ended(recorded("x", front))
    await settled("x")
    await post({"exchange": "x", "frames": [BEGIN, *ROWS, *ENDS]})
    stored = await live.off_loop(load_captures, "x")
    assert [(c.hop, c.kind) for c in stored] == [
        ("engine", "engine"),
        ("app", "app"),
        ("nginx", "proxy"),
        ("browser", "browser"),
    ]


async def test_an_exchange_that_runs_on_is_a_202(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "ANSWER", 0.05)
    recorded("x")
    response = await post({"exchange": "x", "frames": [BEGIN, *ROWS, *ENDS]})
    assert (response.status_code, response.json()["state"]) == (202, "running")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, "{"),
        (400, []),
        (400, {"frames": []}),
        (400, {"exchange": "../x", "frames": []}),
        (400, {"exchange": "x", "frames": [{"type": "frob"}]}),
        (400, {"exchange": "x", "frames": {}}),
        (404, {"exchange": "never", "frames": [BEGIN]}),
    ],
)
async def test_what_cannot_be_answered_is_told_in_three_parts(status: int, body: Any) -> None:
    response = await post(body)
    assert response.status_code == status and set(response.json()) == {"what", "where", "do"}


async def test_only_a_post_of_json_from_our_own_page_is_taken() -> None:
    client = AsyncClient()
    got = await client.get("/chat/stamps")
    assert (got.status_code, got.headers["Allow"]) == (405, "POST")
    assert (await client.post("/chat/stamps", "x=1", content_type="text/plain")).status_code == 415
    foreign = await post({"exchange": "x", "frames": []}, headers={"origin": "https://evil.example"})
    assert foreign.status_code == 403


async def test_an_exchange_id_that_is_running_cannot_be_taken_twice() -> None:
    recorder = recorded("x")
    with pytest.raises(live.InputError):
        recorded("x")
    ended(recorder)
    ended(recorded("x"))  # the first one has ended, so its id may be used again
