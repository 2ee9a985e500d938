"""Run a real part as a child process: free ports, readiness by a socket, its log in the failure message."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path


def free_port() -> int:
    """A TCP port on loopback that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int, child: subprocess.Popen[bytes], log: Path, limit_s: float = 60.0) -> None:
    """Return once the port accepts; raise with the log's tail if the child dies or the limit passes."""
    for _ in _tries(child, log, limit_s, f"did not listen on {port}"):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.5):
            return


def wait_for_answer(url: str, child: subprocess.Popen[bytes], log: Path, limit_s: float = 60.0) -> None:
    """Return once the address answers with success; raise as :func:`wait_for_port` does."""
    for _ in _tries(child, log, limit_s, f"did not answer at {url}"):
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2):
            return


def _tries(child: subprocess.Popen[bytes], log: Path, limit_s: float, failure: str) -> Iterator[None]:
    """One item for each try; raises when the child dies or the limit passes."""
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        if child.poll() is not None:
            raise RuntimeError(f"{child.args!r} ended with {child.returncode}:\n{tail(log)}")
        yield
        time.sleep(0.05)
    raise RuntimeError(f"{child.args!r} {failure} within {limit_s:g} s:\n{tail(log)}")


def tail(log: Path, lines: int = 30) -> str:
    """The last lines of a log, empty when there is none."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else ""


@contextlib.contextmanager
def running(
    command: Sequence[str], log: Path, *, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The command as a child in a process group of its own; on leaving SIGTERM, then SIGKILL after 10 s."""
    with log.open("ab") as sink:
        child = subprocess.Popen(
            list(command), stdout=sink, stderr=subprocess.STDOUT, env=dict(os.environ) | dict(env or {}), cwd=cwd,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield child
    finally:
        stop(child)


def stop(child: subprocess.Popen[bytes]) -> None:
    """End the child and whatever it started."""
    if child.poll() is None:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait(10)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
