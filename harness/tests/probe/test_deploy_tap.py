"""The tap in one file: an interpreter without any package runs it before the lab, and its files are diagnosed."""

from __future__ import annotations

import ast
import asyncio
import os
import socket
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from harness.capture.mask import mask_body, mask_headers, mask_url
from harness.capture.model import Capture
from harness.diagnose.run import diagnose
from harness.lab.server import running
from harness.probe.exchange import probe
from harness.probe.recording import read_recording
from harness.routes.model import Hop, Route, Timeouts
from harness.tests.probe.fakes import HEAD, LAST, Talk, Upstream, chunk

FILE = Path(__file__).resolve().parents[3] / "deploy" / "tap.py"
SOON = Timeouts(5, 20, 60)


class Child:
    """The running tap: ``url`` to ask, ``lines`` it said, ``files`` it keeps."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self.process, self.folder, self.lines = process, folder, []
        self.url = ""

    async def line(self) -> str:
        text = (await asyncio.wait_for(self.process.stderr.readline(), 20)).decode()
        self.lines.append(text)
        return text

    def captures(self, number: int = 1) -> list[Capture]:
        files = sorted(self.folder.glob(f"{number:06d}.*.capture.jsonl"))
        return [capture for file in files for capture in read_recording(file)]


@asynccontextmanager
async def tapping(upstream: str, folder: Path, *words: str):
    command = [sys.executable, "-I", "-S", str(FILE), "--listen", "127.0.0.1:0", "--upstream", upstream]
    process = await asyncio.create_subprocess_exec(
        *command, "--save", str(folder), *words, stderr=asyncio.subprocess.PIPE, env={"PATH": os.environ["PATH"]}
    )
    child = Child(process, folder)
    try:
        child.url = (await child.line()).split(" on ")[1].split(";")[0] + "/v1"
        yield child
    finally:
        if process.returncode is None:
            process.terminate()
        await asyncio.wait_for(process.wait(), 20)


def behind(url: str, model: str = "lab-steady", **more) -> Route:
    return Route("r", (Hop("gateway", "gateway", url=url, **more),), model, SOON)


async def asked(child: Child, prompt: str, **more) -> Capture:
    route = behind(child.url, headers={"authorization": "Bearer sk-secret-0123456789ab"})
    return await probe(route, route.outermost, prompt=prompt, **more)


@pytest.mark.parametrize(
    ("prompt", "symptom"),
    [
        ("count [[lab events=20 rate=80]]", None),
        ("count [[lab events=20 rate=80 truncate at=50%]]", "truncation"),
        ("count [[lab events=20 rate=80 reset at=50%]]", "reset"),
        ("count [[lab events=12 rate=80 stall at=6 for=2600ms]]", "stall"),
    ],
    ids=["steady", "truncate", "reset", "stall"],
)
async def test_it_forwards_untouched_and_its_files_are_diagnosed(tmp_path, prompt, symptom):
    async with running() as lab, tapping(lab.base, tmp_path) as child:
        seen = await asked(child, prompt, exchange_id="e-1")
        await child.line()
        read, write = child.captures()
    assert read.body == write.body == seen.body and read.end.kind == write.end.kind == seen.end.kind
    assert (read.hop, read.tap, write.hop, write.tap, read.exchange) == ("engine", "read", "tap", "write", "e-1")
    assert all(r <= w for r, w in zip(read.times, write.times, strict=True)) and read.head.status == 200
    assert read.clock.id == seen.clock.id  # one host, one clock: offset 0
    verdict = diagnose([read, write]).verdict
    assert (verdict.healthy, verdict.symptom) == (symptom is None, symptom)
    assert verdict.first_bad_hop == (None if symptom is None else "engine")


async def test_a_client_that_leaves_takes_the_upstream_with_it(tmp_path):
    async def script(talk: Talk) -> None:
        await talk.send(HEAD, chunk(b"data: 1\n\n"))
        await talk.gone()

    async with Upstream(script) as upstream, tapping(upstream.url, tmp_path) as child:
        await asked(child, "hi", client_leaves_after=1)
        await asyncio.wait_for(upstream.talks[0].closed.wait(), 5)
        await child.line()
        read, _ = child.captures()
    assert (read.end.kind, read.end.detail) == ("aborted", "client-left")


async def test_the_folder_is_bounded_across_restarts_and_holds_no_secret(tmp_path):
    async def script(talk: Talk) -> None:
        head = HEAD.replace(b"\r\n\r\n", b"\r\nx-debug: k=sk-secret-0123456789ab\r\n\r\n")
        await talk.send(head, chunk(b"data: no key like sk-secret-0123456789ab\n\n"), LAST)

    async with Upstream(script) as upstream:
        for _ in range(2):
            async with tapping(upstream.url, tmp_path, "--keep", "2", "--count", "2") as child:
                for _ in range(2):
                    await asked(child, "hi", body_extra={"api_key": "topsecret", "user": "u"})
                    await child.line()
                assert await asyncio.wait_for(child.process.wait(), 20) == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert [name[:6] for name in names] == ["000003", "000003", "000004", "000004"]
    text = "".join(path.read_text() for path in tmp_path.iterdir())
    assert "0123456789ab" not in text and "topsecret" not in text and "Bearer ***" in text
    assert f"data: no key like {'*' * 22}\\n" in text


async def test_requests_of_one_connection_are_exchanges_of_their_own(tmp_path):
    body = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"

    async def script(talk: Talk) -> None:
        await talk.send(body, b"{}")
        await talk.read_request()
        await talk.send(b"HTTP/1.1 100 Continue\r\n\r\n", body, b"[]")
        talk.finish()

    request = b"POST /v1/x?key=abc HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
    async with Upstream(script) as upstream, tapping(upstream.url, tmp_path) as child:
        port = int(child.url.split(":")[2].split("/")[0])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for answer in (body + b"{}", b"HTTP/1.1 100 Continue\r\n\r\n" + body + b"[]"):
            writer.write(request)
            assert await asyncio.wait_for(reader.readexactly(len(answer)), 10) == answer
        writer.close()
        await child.line(), await child.line()
        one, two = child.captures(1)[0], child.captures(2)[0]
    assert (one.body, two.body, two.head.status, two.end.kind) == (b"{}", b"[]", 200, "complete")
    assert one.request.url.endswith("/v1/x?key=***")


async def test_what_is_not_http_still_passes_and_an_upstream_that_is_not_there_is_told(tmp_path):
    async def echo(reader, writer):
        writer.write(await reader.readexactly(5))
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with tapping(f"127.0.0.1:{port}", tmp_path) as child:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(child.url.split(":")[2].split("/")[0]))
        writer.write(b"\x00\x01\r\n\x02")
        assert await asyncio.wait_for(reader.read(), 10) == b"\x00\x01\r\n\x02"
        writer.close()
    server.close()
    async with tapping("http://127.0.0.1:1", tmp_path) as child:
        seen = await asked(child, "hi")
        assert "cannot be reached" in await child.line()
        await child.line()
    assert seen.head is None and child.captures()[0].end.detail.startswith("refused")


def test_it_is_written_for_python_3_8_and_imports_the_standard_library_alone():
    tree = ast.parse(FILE.read_text(), feature_version=(3, 8))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("words", [["--help"], ["--upstream", "ftp://x"], ["--upstream", "x", "--listen", "9"]])
def test_help_and_bad_words(words, tmp_path):
    command = [sys.executable, "-I", "-S", str(FILE), *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    if words == ["--help"]:
        assert done.returncode == 0 and "Point the base URL" in done.stdout
    else:
        assert done.returncode == 2 and "Traceback" not in done.stderr and "is" in done.stderr


HEADERS = [
    ("authorization", "Bearer abc"), ("x-goog-api-key", "k"), ("cookie", "a=b"), ("accept", "text/event-stream"),
    ("max-tokens", "7"), ("x-auth-token", "abc def"), ("referer", "http://u:p@h/?token=1&x=2"),
    ("x-odd", "sk-abcdefghijk12"),
]  # fmt: skip
BODY = {"messages": [{"role": "user", "content": "my token is x"}], "max_tokens": 3, "api_key": "q", "auth": {"a": "b"}}


def test_an_answer_that_is_kept_in_part_is_not_called_complete():
    own: dict = {"__name__": "tap"}
    exec(compile(FILE.read_text(), str(FILE), "exec"), own)
    own["BODY_LIMIT"] = 4
    found: list = []
    watch = own["Watch"](found.append)
    watch.asked(b"GET / HTTP/1.1\r\n\r\n", 1)
    for piece in (b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n", b"12345", b"67890", b"ab"):
        watch.answered(piece, 2, 2)
    assert found[0].size == 5 and found[0].end[2:] == ("timeout", "size")


def test_it_hides_what_streamscope_itself_hides():
    own: dict = {"__name__": "tap"}
    exec(compile(FILE.read_text(), str(FILE), "exec"), own)
    assert [tuple(pair) for pair in own["mask_headers"](HEADERS)] == list(mask_headers(HEADERS))
    assert own["mask_body"](BODY) == mask_body(BODY)
    for url in ("http://u:p@h:1/v1?key=a&model=b&access_token=c", "http://h/sk-abcdefghijklm1/x"):
        assert own["mask_url"](url) == mask_url(url)


@pytest.mark.parametrize("which", ["folder", "port", "number"])
def test_what_it_cannot_have_is_said_in_words(which: str, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = 70_000 if which == "number" else taken.getsockname()[1]
        folder = "/proc/x" if which == "folder" else str(tmp_path)
        words = ["--listen", f"127.0.0.1:{port}", "--upstream", "http://h", "--save", folder]
        done = subprocess.run([sys.executable, "-I", str(FILE), *words], capture_output=True, text=True, timeout=20)
    says = {"folder": "--save /proc/x: No such file", "port": ": Address already in use. Name", "number": "--listen is"}
    assert done.returncode == 2 and says[which] in done.stderr
    assert "Errno" not in done.stderr and "Traceback" not in done.stderr


def test_its_help_fits_eighty_columns() -> None:
    words = [sys.executable, "-I", str(FILE), "--help"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, env={"COLUMNS": "80"})
    assert done.returncode == 0 and max(map(len, done.stdout.splitlines())) <= 80
