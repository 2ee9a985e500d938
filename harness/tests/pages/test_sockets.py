"""WebSockets: only from our own page, and only to a path that somebody serves."""

from __future__ import annotations

import pytest
from channels.testing import WebsocketCommunicator

from harness.asgi import application


@pytest.mark.parametrize(
    ("path", "origin", "host"),
    [
        ("/ws/nowhere/", "http://h", "h"),
        ("/ws/stamps/", "http://evil.com", "h"),
        ("/ws/stamps/", "http://evil.com", "evil.com"),
    ],
    ids=["unknown path", "foreign page", "rebound name"],
)
async def test_a_handshake_that_is_not_ours_is_refused(path: str, origin: str, host: str) -> None:
    socket = WebsocketCommunicator(application, path, headers=[(b"origin", origin.encode()), (b"host", host.encode())])
    connected, _ = await socket.connect()
    assert not connected


async def test_our_own_page_may_open_the_stamp_socket() -> None:
    socket = WebsocketCommunicator(application, "/ws/stamps/", headers=[(b"origin", b"http://h"), (b"host", b"h")])
    connected, _ = await socket.connect()
    assert connected
    await socket.disconnect()
