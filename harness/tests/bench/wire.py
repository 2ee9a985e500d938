"""How fast bytes become deltas, as ratios to httpx-sse with json and to the openai package's own stream decoder.

``python -m harness.tests.bench.wire [--events 20000] [--rounds 7]``. All of one row decode the same reads in turn, in
one process, ``--rounds`` times; the figures are medians of CPU time. We make every column, the peers only the texts
of the deltas.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import httpx
from httpx_sse import EventSource

from harness.tests.bench.streams import KINDS, body, capture, reads
from harness.wire.decode import decode

SIZES = (64, 1024, 65536)


class Reads(httpx.SyncByteStream):
    """A response body that comes in these reads."""

    def __init__(self, parts: list[bytes]) -> None:
        self.parts = parts

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.parts)


def texts(value: dict[str, Any], out: dict[int, list[str]]) -> None:
    """The text of one event's value, by choice, as an application takes it."""
    if "choices" in value:
        for choice in value["choices"]:
            delta = choice["delta"]
            text = delta.get("content") or delta.get("reasoning")
            if not text and delta.get("tool_calls"):
                text = delta["tool_calls"][0]["function"].get("arguments")
            out.setdefault(choice["index"], []).append(text or "")
    elif "message" in value:
        out.setdefault(0, []).append(value["message"]["content"])
    else:
        delta = value["delta"]
        out.setdefault(0, []).append(delta if isinstance(delta, str) else delta["text"])


def by_httpx(parts: list[bytes]) -> str:
    """What an application does with httpx-sse, or with httpx's lines where there are no events."""
    lines = parts[0].startswith(b"{")
    kind = "application/x-ndjson" if lines else "text/event-stream"
    response = httpx.Response(200, headers={"content-type": kind}, stream=Reads(parts))
    out: dict[int, list[str]] = {}
    if lines:
        for line in response.iter_lines():
            texts(json.loads(line), out)
    else:
        for event in EventSource(response).iter_sse():
            if event.data != "[DONE]":
                texts(json.loads(event.data), out)
    return "".join("".join(out[index]) for index in sorted(out))


def by_openai(parts: list[bytes]) -> str:
    """The openai package's decoder and its ``json()``, without the pydantic models that it builds afterwards."""
    from openai import OpenAI

    out: dict[int, list[str]] = {}
    for event in OpenAI(api_key="none", base_url="http://127.0.0.1:9")._make_sse_decoder().iter_bytes(iter(parts)):
        if not event.data.startswith("[DONE]"):
            texts(event.json(), out)
    return "".join("".join(out[index]) for index in sorted(out))


def compare(ways: dict[str, Callable[[], str]], rounds: int) -> dict[str, float]:
    """Median CPU seconds of each way, interleaved, another one first each time; all must give the same text."""
    spent: dict[str, list[float]] = {name: [] for name in ways}
    turns = list(ways.items())
    for _ in range(rounds):
        found = set()
        turns.append(turns.pop(0))
        for name, way in turns:
            start = time.process_time()
            found.add(way())
            spent[name].append(time.process_time() - start)
        assert len(found) == 1, "the ways do not agree on the text"
    return {name: median(times) for name, times in spent.items()}


def row(kind: str, size: int, events: int, rounds: int) -> dict[str, float]:
    """Median CPU seconds of each way over one kind of stream in reads of this size."""
    data = body(events, kind)
    parts, taken = reads(data, size), capture(data, size, kind)
    ways: dict[str, Callable[[], str]] = {
        "decode": lambda: "".join(channel.text for channel in decode(taken).channels),
        "httpx": lambda: by_httpx(parts),
    }
    if kind != "ollama":
        ways["openai"] = lambda: by_openai(parts)
    return compare(ways, rounds)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), metavar="KIND")
    options = parser.parse_args()
    print(f"{'stream':10}{'read':>7}  {'us/event':>9}   times as fast as: httpx-sse   openai")
    for kind in options.kinds:
        for size in SIZES:
            took = row(kind, size, options.events, options.rounds)
            ratios = "".join(f"{took[peer] / took['decode']:9.1f}" for peer in ("httpx", "openai") if peer in took)
            print(f"{kind:10}{size:7}  {took['decode'] / options.events * 1e6:9.2f}   {ratios:>36}", flush=True)


if __name__ == "__main__":
    main()
