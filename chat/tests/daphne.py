"""A real Daphne as a child process in front of a scripted upstream, and a raw HTTP client for it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Site:
    """``port`` of the app; ``upstream``: the listening socket that its route ``gateway`` points at; ``log`` so far."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        self.folder = folder
        self.upstream = _listener()
        self.listener = _listener()
        self.pid = 0
        self.port: int = self.listener.getsockname()[1]
        base = f"http://127.0.0.1:{self.upstream.getsockname()[1]}/v1"
        own = {"HARNESS_DATA_DIR": str(folder), "HARNESS_GATEWAY_URL": base, "HARNESS_MODEL": "m"}
        self.env = os.environ | own | variables

    @staticmethod
    def free_port() -> int:
        """A port for a program that takes no socket."""
        with _listener() as sock:
            port: int = sock.getsockname()[1]
            return port

    def manage(self, *words: str) -> None:
        """``manage.py`` with this site's data."""
        subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, env=self.env, check=True)

    def script_socket(self) -> socket.socket:
        return self.upstream.dup()

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()


def _listener() -> socket.socket:
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.listen(100)
    return sock


@contextmanager
def site(**variables: str) -> Iterator[Site]:
    """The app under Daphne, migrated, with its data in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        here = Site(Path(name), variables)
        with here.upstream, here.listener:
            here.manage("migrate", "--verbosity", "0")
            with (here.folder / "log").open("w") as log:
                listening = here.listener.fileno()
                child = subprocess.Popen(
                    [sys.executable, "-m", "daphne", "-v", "0", "--fd", str(listening), "harness.asgi:application"],
                    cwd=ROOT, env=here.env, pass_fds=[listening], stdout=log, stderr=subprocess.STDOUT,
                )  # fmt: skip
            here.listener.close()
            here.pid = child.pid
            try:
                # The socket takes connections from the start; the answer says that the application is there.
                urllib.request.urlopen(f"http://127.0.0.1:{here.port}/healthz", timeout=60).close()
                yield here
            finally:
                child.terminate()
                try:
                    child.wait(15)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()


class Browser:
    """One raw connection that has posted a chat."""

    def __init__(self, port: int, body: object = None, *, route: str = "gateway", head: bytes = b"") -> None:
        self.port = port
        wish = body if body is not None else {"route": route, "messages": [{"role": "user", "content": "hi"}]}
        self.data = wish if isinstance(wish, bytes) else json.dumps(wish).encode()
        self.extra = head or b"content-type: application/json\r\n"

    async def __aenter__(self) -> Browser:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(b"POST /chat/stream HTTP/1.1\r\nhost: localhost\r\n" + self.extra)
        self.writer.write(b"content-length: %d\r\n\r\n" % len(self.data) + self.data)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.leave()

    async def head(self) -> tuple[int, dict[str, str]]:
        """Status and headers."""
        lines = (await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), 20)).decode().split("\r\n")
        return int(lines[0].split()[1]), {k.lower(): v for k, _, v in (x.partition(": ") for x in lines[1:-2])}

    async def rest(self) -> bytes:
        """All bytes up to the last chunk, or to the end of the connection."""
        got = b""
        while not got.endswith(b"0\r\n\r\n"):
            part = await asyncio.wait_for(self.reader.read(65536), 20)
            if not part:
                break
            got += part
        return got

    async def json(self) -> dict[str, str]:
        return json.loads(unchunk(await self.rest())[0])

    async def leave(self) -> None:
        self.writer.transport.abort()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


def unchunk(data: bytes) -> tuple[bytes, list[bytes], bool]:
    """Body, chunks, and whether the last chunk came."""
    chunks, whole = [], False
    while data:
        size, _, data = data.partition(b"\r\n")
        count = int(size, 16)
        if not count:
            whole = True
            break
        chunks.append(data[:count])
        data = data[count + 2 :]
    return b"".join(chunks), chunks, whole
