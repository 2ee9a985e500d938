"""Counters, gauges and histograms in Prometheus' text format."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Histogram:
    """Cumulative buckets are made when it is written; ``counts`` holds one count a bucket and one above all."""

    buckets: Sequence[float]
    counts: list[int] = field(default_factory=list)
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = [0] * (len(self.buckets) + 1)

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.buckets, value)] += 1
        self.total += value

    def lines(self, name: str, labels: Labels) -> list[str]:
        rows, so_far = [], 0
        for edge, count in zip((*(number(b) for b in self.buckets), "+Inf"), self.counts, strict=True):
            so_far += count
            rows.append(f"{name}_bucket{braces((*labels, ('le', edge)))} {number(so_far)}")
        return [*rows, f"{name}_count{braces(labels)} {number(so_far)}", f"{name}_sum{braces(labels)} {self.total!r}"]


def number(value: float) -> str:
    """As the Python client writes it: always a float."""
    return repr(float(value))


def braces(labels: Labels) -> str:
    rows = (f'{k}="{_escaped(v)}"' for k, v in labels)
    return "{" + ",".join(rows) + "}" if labels else ""


def header(name: str, kind: str, about: str) -> list[str]:
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
