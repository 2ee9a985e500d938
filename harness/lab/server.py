"""The lab as a server on asyncio sockets."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Mapping

from harness.errors import Unreachable
from harness.lab.desk import Lab
from harness.lab.scenarios import Scenario


async def serve(
    host: str,
    port: int,
    *,
    ready: Callable[[str], None] | asyncio.Event | None = None,
    stop: asyncio.Event | None = None,
    upstream: str = "",
    scenarios: Mapping[str, Scenario] | None = None,
) -> None:
    """Serve until ``stop`` is set (or this is cancelled), then drop every connection.

    ``ready`` is set, or called with the base URL, once the port is open; ``port`` 0 takes a free one.
    ``upstream``: what the gateways stand in front of, default the lab itself. Raises Unreachable when the port
    cannot be had.
    """
    async with running(host, port, upstream=upstream, scenarios=scenarios) as lab:
        if isinstance(ready, asyncio.Event):
            ready.set()
        elif ready is not None:
            ready(lab.base)
        await (stop or asyncio.Event()).wait()


def settle() -> None:
    """For a process that is nothing but a lab: let the garbage collector look at what is new, and rarely at all.

    A full collection over the plans of 500 streams takes some 40 ms, which every stream would be late by.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


class running:
    """The lab while the block runs; gives the :class:`Lab`, whose ``base`` is its address."""

    def __init__(
        self, host: str = "127.0.0.1", port: int = 0, *, upstream: str = "",
        scenarios: Mapping[str, Scenario] | None = None,
    ) -> None:  # fmt: skip
        self.host, self.port, self.upstream, self.scenarios = host, port, upstream, scenarios

    async def __aenter__(self) -> Lab:
        self.lab = Lab("", self.upstream, self.scenarios)
        loop = asyncio.get_running_loop()
        try:
            self.server = await loop.create_server(self.lab.connect, self.host, self.port, backlog=1024)
        except OSError as error:
            what = f"the port cannot be opened: {error.strerror or error}"
            do = "Stop what holds it, or set LAB_PORT to another."
            raise Unreachable(what, f"lab on {self.host}:{self.port}", do) from None
        port = self.server.sockets[0].getsockname()[1]
        local = "127.0.0.1" if self.host in ("0.0.0.0", "") else self.host
        self.lab.base = f"http://{f'[{local}]' if ':' in local else local}:{port}"
        self.lab.upstream = self.upstream or self.lab.base
        return self.lab

    async def __aexit__(self, *exc: object) -> None:
        self.server.close()
        for connection in list(self.lab.connections):
            connection.transport.abort()
        await self.server.wait_closed()
