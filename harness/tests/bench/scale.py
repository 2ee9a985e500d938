"""Whether decoding stays linear, what a decoded stream weighs, and how long a whole diagnosis takes.

``python -m harness.tests.bench.scale [--events 1000000] [--rounds 3]``. Linear: CPU time an event at growing sizes,
as a ratio to the smallest. Weight: bytes that Python allocated (tracemalloc) and still holds after decoding, beside
the body, an event. Diagnosis: ``manage.py diagnose`` on a capture of 100,000 events, the whole process, wall time.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from harness.tests.bench.streams import KINDS, body, capture
from harness.wire.decode import decode

ROOT = Path(__file__).parents[3]
DIAGNOSED = 100_000


def linear(most: int, rounds: int) -> tuple[list[int], list[float]]:
    """Sizes, and CPU seconds an event at each, from a hundredth of ``most`` upwards; sizes in turn, medians."""
    sizes = [max(most // part, 1000) for part in (100, 10, 1)]
    captures = {size: capture(body(size), 1400) for size in sizes}
    spent: dict[int, list[float]] = {size: [] for size in sizes}
    for _ in range(rounds):
        for size, taken in captures.items():
            start = time.process_time()
            assert len(decode(taken)) == size + 1
            spent[size].append((time.process_time() - start) / size)
    return sizes, [median(spent[size]) for size in sizes]


def weight(events: int) -> Iterator[tuple[str, float, float]]:
    """Kind of stream, and bytes an event: kept, and at the highest point."""
    for kind in KINDS:
        taken = capture(body(events, kind), 1400, kind)
        tracemalloc.start()
        stream = decode(taken)
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        yield kind, kept / len(stream), peak / len(stream)


def diagnosis(rounds: int) -> tuple[float, float, int]:
    """Wall and CPU seconds of the whole process, and the capture file's size."""
    from harness.capture.format import dumps

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "engine.capture.jsonl"
        path.write_bytes(dumps(capture(body(DIAGNOSED), 256)))
        command = [sys.executable, "manage.py", "diagnose", "--format", "json", str(path)]
        wall, cpu = [], []
        for _ in range(rounds):
            start, before = time.perf_counter(), _children()
            done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
            wall.append(time.perf_counter() - start)
            cpu.append(_children() - before)
            if done.returncode not in (0, 1):
                sys.exit(done.stderr.decode(errors="replace"))
        return median(wall), median(cpu), path.stat().st_size


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print all three."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for size, own in zip(*(found := linear(options.events, options.rounds)), strict=True):
        print(f"linear   {size:9,} events  {own * 1e6:6.2f} us/event  {own / found[1][0]:5.2f} x the smallest")
    for kind, kept, peak in weight(count := min(options.events, 100_000)):
        print(f"weight   {kind:8} {count:9,} events  {kept:6.1f} bytes/event kept  {peak:6.1f} at most")
    wall, cpu, size = diagnosis(options.rounds)
    print(f"diagnose {DIAGNOSED:9,} events  {wall:6.2f} s, CPU {cpu:.2f} s  (file of {size:,} bytes)")


if __name__ == "__main__":
    main()
