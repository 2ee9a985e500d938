"""An exchange through a lab gateway, in real time: upstream on one side, the client's response on the other."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable

from harness.capture.model import Headers
from harness.lab.gateways.model import Again, Do, Finish, Gateway, Send, SendHead, Wake
from harness.lab.response import Response
from harness.lab.upstream import Upstream, connect
from harness.tasks import start

DROPPED = ("host", "content-length", "connection", "accept-encoding", "expect", "transfer-encoding")


class Passage:
    """Runs a :class:`Gateway`. ``done`` is called once, when the client's side is over."""

    def __init__(
        self, gateway: Gateway, response: Response, base: str, target: str, headers: dict[str, str], body: bytes,
        done: Callable[[], None],
    ) -> None:  # fmt: skip
        self.gateway, self.response, self.done = gateway, response, done
        self.base, self.target = base, gateway.target(target)
        self.headers = {k: v for k, v in headers.items() if k not in DROPPED}
        self.body = json.dumps(gateway.ask(json.loads(body)), ensure_ascii=False).encode()
        self.loop = asyncio.get_running_loop()
        waited = (time.perf_counter_ns() - response.record.started) / 1e9 if response.record else 0.0
        self.begun = self.loop.time() - waited
        self.deaf = False
        self._upstream: Upstream | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._over = False
        self._attempt = 0
        self._answered = False

    def begin(self) -> None:
        self._run(self.gateway.start(self._t()))
        if not self._over:
            self._open()

    def client_left(self, detail: str) -> None:
        if self._over:
            return
        record = self.response.record
        if record:
            record.meta["client_left_ms"] = round(record.now(), 3)
            record.ended("aborted", detail)
        self._stop()

    def pause(self) -> None:
        if self._upstream:
            self._upstream.transport.pause_reading()

    def resume(self) -> None:
        if self._upstream:
            self._upstream.transport.resume_reading()

    def upstream_head(self, status: int, headers: Headers) -> None:
        self._answered = True
        self._run(self.gateway.head(self._t(), status, headers))

    def upstream_data(self, data: bytes) -> None:
        if self._over:
            if self.gateway.leaving == "next-read" and self._upstream:
                self._upstream.leave()
            return
        self._run(self.gateway.data(self._t(), data))

    def upstream_end(self, kind: str, detail: str) -> None:
        if kind in ("truncated", "reset") and not self.response.started and not self._answered:
            return self._fail(f"the upstream gave no answer: {detail}")
        self._run(self.gateway.end(self._t(), kind))

    def _t(self) -> float:
        return (self.loop.time() - self.begun) * 1000

    def _open(self) -> None:
        self._attempt += 1
        start(self._connect(self._attempt), "lab-gateway-upstream")

    async def _connect(self, attempt: int) -> None:
        try:
            upstream = await connect(self.base, self.target, self.headers, self.body, self)
        except OSError as error:
            self._fail(f"the upstream {self.base} cannot be reached: {error.strerror or error}")
            return
        if self._over and self.gateway.leaving == "at-once":
            upstream.leave()
        self._upstream = upstream

    def _run(self, commands: Iterable[Do]) -> None:
        for do in commands:
            if self._over:
                return
            if isinstance(do, SendHead):
                transfer = "chunked" if do.length is None else "length"
                self.response.head(do.status, do.headers, transfer, do.length)
            elif isinstance(do, Send):
                self.response.body(do.data)
            elif isinstance(do, Wake):
                self._wake_at(do.at)
            elif isinstance(do, Again):
                if self._upstream:
                    self._upstream.leave()
                self._open()
            elif isinstance(do, Finish):
                self.response.finish(do.kind)
                self._stop(leave=True)

    def _wake_at(self, at: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self.loop.call_at(self.begun + at / 1000, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._run(self.gateway.wake(self._t() + 0.001))

    def _fail(self, message: str) -> None:
        if self._over or self.response.started:
            return
        body = json.dumps({"error": {"message": message, "type": "bad_gateway", "code": 502}}).encode()
        self.response.head(502, (("content-type", "application/json"),), "length", len(body))
        self.response.body(body)
        self.response.complete()
        self._stop(leave=True)

    def _stop(self, leave: bool = False) -> None:
        self._over = True
        if self._timer:
            self._timer.cancel()
        if self._upstream and (leave or self.gateway.leaving == "at-once"):
            self._upstream.leave()
        self.done()
