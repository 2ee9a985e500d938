"""Every bound on speed, measured in one bounded run: a line each, with the figure, the bound and whether it held.

``python -m harness.tests.bench.bounds [--no-relay]``, or ``make bench``; two to three minutes on two cores. What is
compared runs in turn in the same run, so a busy machine slows both; wall times are given beside CPU times.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from harness.tests.bench import relay, scale, wire
from harness.timeline.metrics import percentile

EVENTS, ROUNDS = 30_000, 3  # the peers leave the caches cold, which short streams would be charged with
OPENAI = 3.0
LOW = {"logprobs": 3.0, "llama": 2.5, "ids": 2.0, "responses": 2.5, "ollama": 2.0}
"""Streams with another bound at 64 KiB than 4. Log probabilities and timings are an object an event, parsed one by one
as the peers do. An id an event is a row of its own among the identities. A Responses event has a name, a number and
noise besides its text. Records are held against lines split by httpx, which takes far less time than its events."""
LINEAR, WEIGHT, DIAGNOSE = 1.5, 300.0, 1.2
STREAMS, RATE, SECONDS, TURNS = 20, 50.0, 3.0, 2

Line = tuple[str, float, str, float | None, bool]  # what, figure, unit, bound, whether less is better


def decoding() -> Iterator[Line]:
    """Bytes to deltas against the peers."""
    for kind in wire.KINDS:
        for size, bound in ((64, 2.0), (65536, LOW.get(kind, 4.0))):
            took = wire.row(kind, size, EVENTS, ROUNDS)
            what = f"decode {kind} at {size} B reads, against"
            peer = "httpx lines + json" if kind == "ollama" else "httpx-sse + json"
            yield f"{what} {peer}", took["httpx"] / took["decode"], "x", bound, False
            if "openai" in took:
                yield f"{what} openai", took["openai"] / took["decode"], "x", OPENAI, False


def growth() -> Iterator[Line]:
    """Linear time, weight beside the body, and a whole diagnosis."""
    sizes, each = scale.linear(1_000_000, 1)
    yield f"time an event at {sizes[-1]:,} events, against {sizes[0]:,}", each[-1] / each[0], "x", LINEAR, True
    for kind, kept, _ in scale.weight(20_000):
        yield f"weight of an event beside the body, {kind}", kept, "bytes", WEIGHT, True
    wall, cpu, _ = scale.diagnosis(3)
    yield f"diagnose of {scale.DIAGNOSED:,} events, CPU", cpu, "s", DIAGNOSE, True
    yield f"diagnose of {scale.DIAGNOSED:,} events, wall", wall, "s", None, True


def added() -> Iterator[Line]:
    """What relay and tap add to an event's delay, against nginx."""
    found = relay.run(STREAMS, RATE, SECONDS, TURNS)
    for q, bound in ((50, None), (99, 4.0)):
        own = {name: percentile(phases["steady"], q) or 0.0 for name, phases in found.items()}
        more = {name: value - own["direct"] for name, value in own.items()}
        for name in ("relay", "tap"):
            what = f"{name} adds at p{q} ({more[name]:.0f} us), against nginx ({more['nginx']:.0f} us)"
            if more["nginx"] <= 0:  # too noisy a run for a ratio
                yield f"{what}: no ratio", more[name] / 1000, "ms", None, True
                continue
            yield what, more[name] / more["nginx"], "x", bound if name == "relay" else None, True
    yield f"tap adds at p99, {STREAMS} streams", more["tap"] / 1000, "ms", 1.0, True


def told(line: Line) -> tuple[str, bool]:
    """The line to print, and whether the bound held (no bound: it did)."""
    what, figure, unit, bound, less = line
    if bound is None:
        return f"        {figure:8.2f} {unit:5} {what}", True
    held = figure <= bound if less else figure >= bound
    word = "at most" if less else "at least"
    return f"{'held' if held else 'MISSED':7} {figure:8.2f} {unit:5} {what} ({word} {bound:g})", held


def main() -> None:
    """Print the lines as they come; exit 1 where a bound was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-relay", action="store_true", help="leave out what needs nginx")
    options = parser.parse_args()
    missed = 0
    for part in (decoding, growth, *(() if options.no_relay else (added,))):
        for line in part():
            text, held = told(line)
            missed += not held
            print(text, flush=True)
    print(f"{missed} bounds missed" if missed else "all bounds held")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
