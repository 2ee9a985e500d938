"""The stamps socket ``/ws/stamps/``: frames in, answers out, and every 150 ms what the server's side has to tell."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import orjson
from channels.generic.websocket import AsyncWebsocketConsumer

from chat.frames import BadFrame, parse
from chat.session import Frame, Session, error_frame
from harness.runs.browser import BrowserSide
from harness.runs.epoch import now_ms
from harness.runs.live import Live, meet
from harness.tasks import start

TICK = 0.15  # seconds between two batches of server stamps


class StampConsumer(AsyncWebsocketConsumer):
    """One browser line; it may speak about several exchanges."""

    async def connect(self) -> None:
        self.session = Session(self._side_of, f"browser-{uuid4().hex[:12]}")
        self.followed: dict[str, Follower] = {}
        self.pump: asyncio.Task[None] | None = None
        await self.accept()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        came = now_ms()
        try:
            answers = self.session.handle(parse(text_data if text_data is not None else bytes_data or b""), came)
        except BadFrame as error:
            answers = [error_frame(error.code, error.what)]
        for follower in self.followed.values():
            follower.live.told()
        for frame in answers:
            if frame["type"] == "sync":
                frame["t2"] = now_ms()
            await self._say(frame)

    async def disconnect(self, code: int) -> None:
        if self.pump is not None:
            self.pump.cancel()
            await asyncio.wait([self.pump])
        for follower in self.followed.values():
            follower.live.leave()

    def _side_of(self, exchange: str) -> BrowserSide:
        live = meet(exchange)
        live.listeners += 1
        self.followed[exchange] = Follower(live)
        self.pump = self.pump or start(self._pump(), "stamps-pump")
        return live.browser

    async def _pump(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            for follower in list(self.followed.values()):
                for frame in follower.news():
                    await self._say(frame)

    async def _say(self, frame: Frame) -> None:
        await self.send(text_data=orjson.dumps(frame).decode())


class Follower:
    """How far one line has been told about one exchange."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.told_rows = 0
        self.told_version = 0

    def news(self) -> list[Frame]:
        """``live`` rows are (server epoch ms, body offset); ``final`` is false while the browser still receives."""
        live, frames = self.live, []
        about: dict[str, Any] = {"exchange": live.exchange}
        rows = live.recorder.writes[self.told_rows :] if live.recorder is not None else []
        if rows:
            self.told_rows += len(rows)
            frames.append({"type": "live", **about, "tap": "write", "rows": rows})
        if live.version > self.told_version:
            self.told_version = live.version
            final = live.browser.arrived or live.settled.is_set()
            frames.append({"type": "verdict", **about, "answer": live.answer, "final": final})
        return frames
