"""How fast bytes become deltas, as ratios to httpx-sse with json and to the openai package's own stream decoder.

``python -m harness.tests.bench.wire [--events 20000] [--rounds 7]``. All of one row decode the same reads in turn, in
one process, ``--rounds`` times; the figures are medians of CPU time. ``decode`` takes a whole capture, ``live`` feeds
the incremental decoder read by read; both make every column, the peers only the texts of the deltas.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from statistics import median

import httpx
from httpx_sse import EventSource

from harness.tests.bench.streams import KINDS, body, capture, reads
from harness.wire.decode import decode
from harness.wire.decoder import Decoder

SIZES = (64, 1024, 65536)


class Reads(httpx.SyncByteStream):
    """A response body that comes in these reads."""

    def __init__(self, parts: list[bytes]) -> None:
        self.parts = parts

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.parts)


def by_httpx_sse(parts: list[bytes]) -> str:
    """What an application does with httpx-sse."""
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Reads(parts))
    texts = []
    for event in EventSource(response).iter_sse():
        if event.data != "[DONE]":
            for choice in json.loads(event.data)["choices"]:
                texts.append(choice["delta"].get("content") or "")
    return "".join(texts)


def by_openai(parts: list[bytes]) -> str:
    """The openai package's decoder and its ``json()``, without the pydantic models that it builds afterwards."""
    from openai import OpenAI

    texts = []
    for event in OpenAI(api_key="none", base_url="http://127.0.0.1:9")._make_sse_decoder().iter_bytes(iter(parts)):
        if not event.data.startswith("[DONE]"):
            for choice in event.json()["choices"]:
                texts.append(choice["delta"].get("content") or "")
    return "".join(texts)


def by_lines(parts: list[bytes]) -> str:
    """NDJSON as applications read it: httpx's lines and json."""
    lines = httpx.Response(200, stream=Reads(parts)).iter_lines()
    return "".join(json.loads(line)["message"]["content"] for line in lines if line)


def live(parts: list[bytes], wire: str) -> str:
    """Read by read through the incremental decoder."""
    decoder = Decoder(wire)
    for i, part in enumerate(parts):
        decoder.feed(part, float(i))
    return decoder.close().text()


def compare(ways: dict[str, Callable[[], str]], rounds: int) -> dict[str, float]:
    """Median CPU seconds of each way, interleaved, another one first each time; all must give the same text."""
    spent: dict[str, list[float]] = {name: [] for name in ways}
    turns = list(ways.items())
    for _ in range(rounds):
        texts = set()
        turns.append(turns.pop(0))
        for name, way in turns:
            start = time.process_time()
            texts.add(way())
            spent[name].append(time.process_time() - start)
        assert len(texts) == 1, "the ways do not agree on the text"
    return {name: median(times) for name, times in spent.items()}


def row(kind: str, size: int, events: int, rounds: int) -> dict[str, float]:
    """Median CPU seconds of each way over one kind of stream in reads of this size."""
    data = body(events, kind)
    parts, taken = reads(data, size), capture(data, size, kind)
    ways: dict[str, Callable[[], str]] = {
        "decode": lambda: decode(taken).text(),
        "live": lambda: live(parts, taken.wire),
    }
    if kind == "ollama":
        ways["httpx"] = lambda: by_lines(parts)
    else:
        ways["httpx"] = lambda: by_httpx_sse(parts)
        ways["openai"] = lambda: by_openai(parts)
    return compare(ways, rounds)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    print(f"{'stream':8}{'read':>7}  {'us/event':>9}{'live':>7}   times as fast as: httpx-sse (live)   openai (live)")
    for kind in KINDS:
        for size in SIZES:
            took = row(kind, size, options.events, options.rounds)
            own = [took[name] / options.events * 1e6 for name in ("decode", "live")]
            ratios = "".join(
                f"{took[peer] / took['decode']:12.1f} ({took[peer] / took['live']:.1f})"
                for peer in ("httpx", "openai")
                if peer in took
            )
            print(f"{kind:8}{size:7}  {own[0]:9.2f}{own[1]:7.2f}   {ratios:>40}", flush=True)


if __name__ == "__main__":
    main()
