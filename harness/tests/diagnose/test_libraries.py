"""The models of named libraries against the libraries themselves, over legal and hazardous bytes."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import aiohttp
import httpx
import httpx_sse
import openai
import pytest
import sseclient
from aiohttp.http_exceptions import LineTooLong

from harness.diagnose import libraries
from harness.diagnose.readers import standard
from harness.diagnose.shown import Seen, dispatched, show
from harness.tests.diagnose.build import DONE, answer, chunk, numbered

EVENTS = answer(numbered(6))
BODY = b"".join(EVENTS)
HEAD, REST = EVENTS[:3], EVENTS[3:]


def sliced(body: bytes, size: int) -> list[bytes]:
    return [body[i : i + size] for i in range(0, len(body), size)]


CORPUS: dict[str, list[bytes]] = {
    "plain": EVENTS,
    "one read": [BODY],
    "three bytes a read": sliced(BODY, 3),
    "crlf": [e.replace(b"\n", b"\r\n") for e in EVENTS],
    "crlf, cut between": sliced(BODY.replace(b"\n", b"\r\n"), 1),
    "cr": [e.replace(b"\n", b"\r") for e in EVENTS],
    "mixed line ends": [e[:-1] + b"\r\n" for e in EVENTS],
    "no space": [e.replace(b"data: ", b"data:") for e in EVENTS],
    "two spaces": [e.replace(b"data: ", b"data:  ") for e in EVENTS],
    "byte order mark": [b"\xef\xbb\xbf" + EVENTS[1], *EVENTS[2:]],
    "comments": [b": ping\n\n" + e for e in EVENTS],
    "comments inside": [b": ping\n" + e for e in EVENTS],
    "ids": [b"id: %d\n" % i + e for i, e in enumerate(EVENTS)],
    "an id, then comments": [b"id: 1\n" + EVENTS[0], b": ping\n\n", *EVENTS[1:]],
    "an event with an id alone": [*HEAD, b"id: 7\n\n", *REST],
    "an event with a name alone": [*HEAD, b"event: ping\n\n", *REST],
    "retry": [b"retry: 3000\n\n", *EVENTS],
    "event names": [b"event: answer\n" + e for e in EVENTS],
    "blank lines more": [e + b"\n" for e in EVENTS],
    "data in several lines": [*HEAD, chunk("x").replace(b',"choices"', b',\ndata: "choices"'), *REST],
    "line separator": [*HEAD, chunk("a\u2028b"), *REST],
    "next line": [*HEAD, chunk("a\x85b"), *REST],
    "not json": [*HEAD, b"data: oops\n\n", *REST],
    "an empty data line": [*HEAD, b"data:\n\n", *REST],
    "data without a colon": [*HEAD, b"data\n\n", *REST],
    "an error": [*HEAD, b'data: {"error":{"message":"no"}}\n\n', *REST],
    "bytes that are no utf-8": [*HEAD, chunk("ab").replace(b"ab", b"a\xffb"), *REST],
    "split characters": sliced(b"".join(answer(["é", "漢字", "🙂"])), 1),
    "no blank line at the end": [*EVENTS[:-2], chunk("last")[:-1]],
    "done without a blank line": [*EVENTS[:-1], b"data: [DONE]\n"],
    "text after done": [*EVENTS, chunk("more"), DONE],
    "a long line": [*HEAD, chunk("x" * 70_000), *REST],
    "a very long line": [*HEAD, chunk("x" * 140_000), *REST],
    "unknown fields": [*HEAD, b"foo: bar\n", *REST],
    "nothing": [],
}
EACH = pytest.mark.parametrize("name", CORPUS)


class Body(httpx.SyncByteStream):
    def __init__(self, reads: Sequence[bytes]) -> None:
        self.reads = reads

    def __iter__(self) -> Iterator[bytes]:
        yield from self.reads


def response(reads: Sequence[bytes]) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Body(reads))


def real_openai(reads: Sequence[bytes]) -> Seen:
    transport = httpx.MockTransport(lambda request: response(reads))
    text = ""
    with httpx.Client(transport=transport) as http:
        any_http: Any = http  # newer SDKs name the successor of httpx in their types and take both
        client = openai.OpenAI(api_key="none", base_url="http://lab.example/v1", http_client=any_http, max_retries=0)
        try:
            for event in client.chat.completions.create(model="m", messages=[], stream=True):
                text += "".join(c.delta.content or "" for c in event.choices if c.index == 0)
        except (openai.APIError, ValueError) as error:
            return Seen(text, type(error).__name__)
    return Seen(text)


def real_httpx_sse(reads: Sequence[bytes]) -> Seen:
    return show(event.data for event in httpx_sse.EventSource(response(reads)).iter_sse())


def real_sseclient(reads: Sequence[bytes]) -> Seen:
    return show(event.data for event in sseclient.SSEClient(iter(reads)).events())


def real_aiohttp(reads: Sequence[bytes]) -> Seen:
    async def read() -> tuple[list[str], str]:
        stream = aiohttp.StreamReader(Mock(_reading_paused=False), 2**16, loop=asyncio.get_running_loop())
        for part in reads:
            stream.feed_data(part)
        stream.feed_eof()
        data: list[str] = []
        try:
            async for raw in stream:
                line = raw.decode("utf-8").strip()
                if line.startswith("data:"):
                    data.append(line[5:].strip())
        except (ValueError, LineTooLong) as error:
            return data, type(error).__name__
        return data, ""

    data, failure = asyncio.run(read())
    seen = show(data)
    return seen if seen.failure or "[DONE]" in data else Seen(seen.text, failure)


PAIRS = {
    "openai": (libraries.openai_sdk, real_openai),
    "httpx-sse": (libraries.httpx_sse, real_httpx_sse),
    "sseclient-py": (libraries.sseclient, real_sseclient),
    "aiohttp": (libraries.aiohttp_lines, real_aiohttp),
}


@EACH
@pytest.mark.parametrize("library", PAIRS)
def test_the_model_shows_what_the_library_shows(library: str, name: str) -> None:
    model, real = PAIRS[library]
    said, seen = model(CORPUS[name]), real(CORPUS[name])
    assert (said.text, bool(said.failure)) == (seen.text, bool(seen.failure)), (said, seen)


NODE = """
import { getLines, getMessages } from '@microsoft/fetch-event-source/lib/esm/parse.js';
import { createParser } from 'eventsource-parser';
import { readFileSync } from 'node:fs';
const out = {};
for (const [name, reads] of Object.entries(JSON.parse(readFileSync(0, 'utf8')))) {
  const fetched = [], parsed = [];
  const feed = getLines(getMessages(() => {}, () => {}, (message) => fetched.push(message.data)));
  const parser = createParser({ onEvent: (event) => parsed.push(event.data) });
  const decoder = new TextDecoder();
  for (const read of reads) {
    const bytes = new Uint8Array(Buffer.from(read, 'base64'));
    feed(bytes);
    parser.feed(decoder.decode(bytes, { stream: true }));
  }
  out[name] = { fetched, parsed };
}
console.log(JSON.stringify(out));
"""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[str]]]:
    """Data of the events that the two npm packages hand on, for each entry of the corpus."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("node or npm is missing: the npm readers are not run")
    home: Path = tmp_path_factory.mktemp("npm")
    (home / "package.json").write_text('{"type": "module"}')
    packages = ["@microsoft/fetch-event-source@2.0.1", "eventsource-parser@3"]
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *packages]
    try:
        subprocess.run(command, cwd=home, check=True, capture_output=True, timeout=60)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip("npm cannot fetch the readers: no registry in reach")
    inner = home / "node_modules/@microsoft/fetch-event-source/lib/esm/package.json"
    inner.write_text('{"type": "module"}')
    (home / "read.mjs").write_text(NODE.replace("@microsoft", "./node_modules/@microsoft"))
    corpus = {name: [_b64(read) for read in reads] for name, reads in CORPUS.items()}
    ran = subprocess.run(
        ["node", "read.mjs"], cwd=home, input=json.dumps(corpus), capture_output=True, text=True, timeout=60, check=True
    )
    found: dict[str, dict[str, list[str]]] = json.loads(ran.stdout)
    return found


def _b64(data: bytes) -> str:
    from base64 import b64encode

    return b64encode(data).decode()


@EACH
def test_the_model_of_fetch_event_source_hands_on_the_same(name: str, node: dict[str, dict[str, list[str]]]) -> None:
    said = libraries.fetch_event_source(CORPUS[name])
    seen = show(node[name]["fetched"])
    assert (said.text, bool(said.failure)) == (seen.text, bool(seen.failure)), (said, seen)


@EACH
def test_eventsource_parser_reads_as_the_standard_model(name: str, node: dict[str, dict[str, list[str]]]) -> None:
    if name == "cr":  # it waits for what follows the last lone CR
        assert show(node[name]["parsed"]).text == standard(CORPUS[name]).text
        return
    assert node[name]["parsed"] == list(dispatched(b"".join(CORPUS[name])))
