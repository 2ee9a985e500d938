"""The exchanges that run in this process: what each side has told, and the verdict as soon as it is there.

Either side may come first: the browser says hello on its socket while its POST is still on the way. Everything
here belongs to the event loop; disk and database are reached through :func:`harness.runs.judge.off_loop`.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError

from harness.capture.model import Capture
from harness.errors import InputError
from harness.models import Run
from harness.probe.request import api_hop
from harness.routes.model import Hop, Route
from harness.runs.browser import FRONT, BrowserSide
from harness.runs.epoch import iso, now_ms
from harness.runs.judge import Json, answer_for, lend, off_loop, store
from harness.runs.recorder import SpoolRecorder
from harness.runs.rows import Row
from harness.runs.spool import Spool
from harness.runs.unstored import stored
from harness.tasks import start

GRACE = 1.0  # seconds that the first verdict waits for the browser after the server's side has ended
PATIENCE = 600.0  # seconds that a browser which is still attached may go on receiving after that
log = logging.getLogger(__name__)


class Live:
    """One exchange. ``answer`` is the latest; ``version`` counts answers. ``closing``: what the browser tells from
    here on is too late for the last one; ``settled``: that one is stored.
    """

    def __init__(self, exchange: str) -> None:
        self.exchange = exchange
        self.browser = BrowserSide(exchange)
        self.recorder: SpoolRecorder | None = None
        self.answer: Json | None = None
        self.version = 0
        self.closing = False
        self.judged, self.settled, self.browser_done = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.listeners = 0

    @property
    def running(self) -> bool:
        """Whether the server's side is there and nothing has been judged yet."""
        return self.recorder is not None and self.answer is None

    def told(self) -> None:
        """The browser's side may have changed."""
        if self.browser.ended:
            self.browser_done.set()

    def leave(self) -> None:
        """One listener less. After the last one the browser may still tell the rest by POST."""
        self.listeners -= 1
        if self.listeners <= 0:
            if self.recorder is None:
                running.pop(self.exchange, None)
            elif self.judged.is_set():
                self.browser_done.set()

    def give(self, answer: Json) -> None:
        self.answer = answer
        self.version += 1
        self.judged.set()


running: dict[str, Live] = {}
"""By exchange id. An exchange leaves when it is settled, that is, stored with all that can still come."""


def meet(exchange: str) -> Live:
    """The exchange of that id, new if neither side was here yet."""
    return running.setdefault(exchange, Live(exchange))


def front_of(route: Route) -> tuple[str, str]:
    """Name and kind of the hop whose output arrives in the browser: a declared front proxy, else the network path."""
    proxies = [hop for hop in route.hops if hop.kind == "proxy" and hop.wire == "chat"]
    return (proxies[-1].name, "proxy") if proxies else FRONT


def own_name(route: Route) -> str:
    """What the route calls our own app."""
    return next((hop.name for hop in route.hops if hop.kind == "app" and hop.wire == "chat"), "app")


def open_recorder(exchange: str, route: Route, hop: Hop | None = None) -> SpoolRecorder:
    """The recorder of a chat's exchange, on the event loop. ``hop`` is the one that the relay asks.

    The relay calls :meth:`SpoolRecorder.close` in the end, whatever happened. InputError while an exchange of the
    same id runs.
    """
    live = meet(exchange)
    if live.recorder is not None:
        if not live.recorder.closed:
            raise InputError("an exchange of this id is running", f"exchange {exchange}", "Give each its own id.")
        live = running[exchange] = Live(exchange)
    hop = hop or api_hop(route)
    front = front_of(route)
    run: Row = {"id": exchange, "kind": "chat", "route": route.name, "started": iso(now_ms()), "spec": {"front": front}}
    spool = Spool(Path(settings.DATA_DIR) / "spool", run)
    read = Capture(hop.name, hop.kind, "read", hop.wire, exchange, route.name)
    write = Capture(own_name(route), "app", "write", hop.wire, exchange, route.name)

    def closed() -> None:
        start(_finish(live, spool, run), f"judge {exchange}")

    live.recorder = SpoolRecorder(spool, read, write, closed)
    live.browser.place(route.name, hop.wire, front)
    live.browser.join(spool)
    return live.recorder


async def _finish(live: Live, spool: Spool, run: Row) -> None:
    """Judge after the grace, and once more if the browser was still receiving then; store, and let go."""
    try:
        await _within(GRACE, live.browser_done)
        if live.listeners > 0 and not live.browser.arrived:
            await _settle(live, spool, run, [], last=False)
            await _within(PATIENCE, live.browser_done)
        live.closing = True
        await _settle(live, spool, run, live.browser.captures(), last=True)
    except Exception:  # the seam of a task that nobody awaits; those who wait for the verdict are let go below
        log.exception("exchange %s could not be judged; its spool is adopted at the next start", live.exchange)
    finally:
        live.judged.set()
        live.settled.set()
        if running.get(live.exchange) is live:
            del running[live.exchange]


async def _settle(live: Live, spool: Spool, run: Row, browser: list[Capture], *, last: bool) -> None:
    """Judge what is there, store both, and give the answer; the spool goes with the last."""
    captures, answer = await off_loop(_judge, spool, browser)

    async def keep() -> None:
        await off_loop(store, run, captures, answer)

    async def drop() -> None:
        await off_loop(spool.discard)

    if last:
        await stored(live.exchange, answer, keep, drop)
    else:
        with suppress(DatabaseError, OSError):  # the last one tells of it
            await keep()
    live.give(answer)


async def _within(seconds: float, event: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _judge(spool: Spool, browser: list[Capture]) -> tuple[list[Capture], Json]:
    server = [capture for capture in spool.read().captures if capture.tap in ("read", "write")]
    captures = lend([*server, *browser])
    return captures, answer_for(captures)


def state_of(exchange: str) -> str:
    """``running`` for an exchange that is being recorded or judged here, else ""."""
    live = running.get(exchange)
    return Run.State.RUNNING if live is not None and live.running else ""
