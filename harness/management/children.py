"""Child processes of one command: started together, ended together, their ports free afterwards."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import InputError, StreamscopeError

GRACE_S = 5.0  # between SIGTERM and SIGKILL
POLL_S = 0.05
LAST_LINES = "Its last lines are above."


@dataclass(slots=True)
class Child:
    """A process that serves HTTP on ``host:port``; ``args`` follow the Python interpreter."""

    name: str
    args: Sequence[str]
    host: str
    port: int
    process: asyncio.subprocess.Process | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


def check_port(host: str, port: int, variable: str) -> None:
    """Raise one clear sentence where the port cannot be listened on."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port in TIME_WAIT is free
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise InputError(
                    "the port is taken",
                    f"{host}:{port}",
                    f"Stop what listens there, or set {variable} to another port.",
                ) from None
            check = (
                variable if error.errno in (errno.EACCES, errno.EPERM) else f"HARNESS_BIND, the address, and {variable}"
            )
            raise InputError(f"cannot listen: {error.strerror or error}", f"{host}:{port}", f"Check {check}.") from None


async def start(child: Child, cwd: Path) -> None:
    child.process = await asyncio.create_subprocess_exec(
        sys.executable,
        *child.args,
        cwd=cwd,
        stdin=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C reaches us alone, and we end the children in order
        preexec_fn=_die_with_parent if sys.platform == "linux" else None,
    )


def _die_with_parent() -> None:
    """Ask Linux for SIGTERM when the parent dies, so that even ``kill -9`` of it leaves no port taken."""
    parent_death_signal = 1
    ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGTERM)
    if os.getppid() == 1:
        os._exit(1)


async def ready(child: Child, timeout_s: float = 30.0) -> None:
    """Wait until the child answers HTTP; raises where it ended instead, or stays silent."""
    process = child.process
    assert process is not None
    try:
        async with asyncio.timeout(timeout_s):
            while (status := await _status(child)) is None:
                if process.returncode is not None:
                    raise ended(child)
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        raise StreamscopeError(f"the {child.name} does not answer after {timeout_s:g} s", child.url) from None
    if status >= 500:
        raise StreamscopeError(f"the {child.name} answers its health check with {status}", child.url, LAST_LINES)


async def _status(child: Child) -> int | None:
    """The HTTP status of the child's ``/healthz``; None while nothing answers."""
    host = child.url.removeprefix("http://").rpartition(":")[0].strip("[]")
    try:
        reader, writer = await asyncio.open_connection(host, child.port)
    except OSError:
        return None
    try:
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        words = (await reader.readline()).split()
        return int(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/") and words[1].isdigit() else None
    except OSError:
        return None
    finally:
        writer.close()


async def first_end(children: Sequence[Child]) -> Child:
    """The first child that ends by itself."""
    waits = {asyncio.ensure_future(child.process.wait()): child for child in children if child.process}
    try:
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    return waits[next(iter(done))]


def ended(child: Child) -> StreamscopeError:
    code = child.process.returncode if child.process else None
    how = f"was killed by {signal.Signals(-code).name}" if code is not None and code < 0 else f"ended with code {code}"
    return StreamscopeError(
        f"the {child.name} {how}, so everything was stopped", child.url, "Its last lines are above."
    )


async def stop(children: Sequence[Child]) -> None:
    """SIGTERM to each child and what it started, SIGKILL to what has not gone after the grace; one after the other.

    The web comes before the lab and the engine that its chats and jobs ask, or those would take the end for a fault.
    """
    for child in children:
        process = child.process
        if process is None or process.returncode is not None:
            continue
        _signal(process, signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), GRACE_S)
        except TimeoutError:
            _signal(process, signal.SIGKILL)
            await process.wait()


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """To the whole group: each child was started in a session of its own."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
