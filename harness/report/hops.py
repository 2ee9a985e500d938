"""A ladder as a table: each hop's figures over its repeats, whether its text is the inner hop's, and its head."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from harness.capture.model import Capture
from harness.phrase import joined, say, spoken, term, told
from harness.report.columns import columns, fill, plain, table
from harness.report.text import duration
from harness.runs.heads import differing
from harness.timeline.metrics import Metrics, Spread, content_times, measure, percentile
from harness.timeline.outcome import outcome
from harness.timeline.smooth import delay_variation, fluidity, jitter, merged_share
from harness.wire.decode import decode
from harness.wire.stream import Stream

FLUENT_FIRST, FLUENT_NEXT = 1000.0, 100.0  # ms until which a reader's first and each further event is in time
HEAD = ("hop", "TTFB", "TTFT", "ITL p50", "p95", "p99", "max", "/read", "end", "text")


def hop_rows(captures: Sequence[Capture]) -> list[dict[str, Any]]:
    """One row a hop, innermost first: medians over its repeats (ITL pooled), ms; ``text_equal`` to the innermost hop
    with any, None for that one; ``outcomes``: how many ended how; ``http``: status and version of the first answer.

    ``fluidity``: of content events, for a reader of ten a second who begins after one second. Against the hop before,
    where both have as many content events: ``jitter_ms``, ``delay_variation_ms`` (p95), ``merged_share``; medians.
    """
    groups: dict[str, list[Capture]] = {}
    for capture in captures:
        groups.setdefault(capture.hop, []).append(capture)
    inner: set[str] | None = None
    before: list[Stream] = []
    rows = []
    for hop, group in groups.items():
        streams = [decode(capture) for capture in group]
        figures = [measure(stream) for stream in streams]
        texts = {stream.text() for stream in streams}
        same = None if inner is None or not any(texts) else texts == inner
        inner = texts if inner is None and any(texts) else inner
        rows.append(
            {
                "hop": hop,
                "repeats": len(group),
                "ttfb_ms": _middle(figures, "ttfb_ms"),
                "ttft_ms": _middle(figures, "ttft_ms"),
                "itl_ms": Spread.of(array("d", (gap for m in figures for gap in m.itl_ms))).as_json(),
                "coalescing": _middle(figures, "coalescing"),
                "fluidity": _median([fluidity(content_times(s), FLUENT_FIRST, FLUENT_NEXT) for s in streams]),
                **_against(before, streams),
                "end_ms": _middle(figures, "end_ms"),
                "outcomes": dict(Counter(outcome(stream) for stream in streams)),
                "text_equal": same,
                "http": next((f"{c.head.status} HTTP/{c.head.http}" for c in group if c.head), None),
            }
        )
        before = streams
    return rows


def _against(inner: Sequence[Stream], outer: Sequence[Stream]) -> dict[str, float | None]:
    """How unevenly the hop handed on what came from the one before it, repeat by repeat; free of clock offsets."""
    pairs = [(content_times(a), content_times(b)) for a, b in zip(inner, outer, strict=False)]
    alike = [(a, b) for a, b in pairs if len(a) == len(b) > 1]
    return {
        "jitter_ms": _median([jitter(a, b) for a, b in alike]),
        "delay_variation_ms": _median([percentile(delay_variation(a, b), 95) for a, b in alike]),
        "merged_share": _median([merged_share(a, b) for a, b in alike]),
    }


def _middle(figures: Sequence[Metrics], name: str) -> float | None:
    return _median([getattr(m, name) for m in figures])


def _median(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return median(there) if there else None


def hop_table(captures: Sequence[Capture], width: int = 80) -> str:
    """The rows as text, and the headers that the hops do not share."""
    rows = hop_rows(captures)
    head, cells = [told(term(name), spoken.get()) for name in HEAD], [_cells(row) for row in rows]
    lines = table(head, cells)
    if any(columns(line) > width for line in lines):
        lines = table(head, cells, gap=" ")
    for name, values in differing(captures).items():
        said = joined(", ", [f"{hop}: {value or say('(missing)')}" for hop, value in values.items()])
        lines += fill(plain(say("head {name}: {told}", name=name, told=said)), width)
    return "\n".join(lines)


def _cells(row: Mapping[str, Any]) -> list[str]:
    gaps = row["itl_ms"]
    said = {told(term(how), spoken.get()): count for how, count in row["outcomes"].items()}
    ends = " ".join(how if count == row["repeats"] else f"{count}×{how}" for how, count in said.items())
    lumps = row["coalescing"]
    return [
        plain(row["hop"]),
        *(duration(row[name]) for name in ("ttfb_ms", "ttft_ms")),
        *(duration(gaps[q]) for q in ("p50", "p95", "p99", "max")),
        "–" if lumps is None else f"{lumps:.1f}",
        f"{ends} {duration(row['end_ms'])}",
        {True: say("equal"), False: say("differs"), None: "–"}[row["text_equal"]],
    ]
