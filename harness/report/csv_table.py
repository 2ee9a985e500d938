"""Export the events of captures as CSV, one row an event, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from harness.capture.bundle import resolve_shared
from harness.capture.model import Capture
from harness.wire.decode import decode
from harness.wire.stream import Kind, Stream

COLUMNS = (
    "hop", "tap", "exchange", "repeat", "event", "t_ms", "gap_ms", "read", "start", "end", "kind", "name",
    "choice", "part", "chars", "text",
)  # fmt: skip


def to_csv(captures: Sequence[Capture]) -> bytes:
    """UTF-8 with CR LF, a head line first. ``t_ms`` since the capture's side began; ``start`` and ``end`` in bytes.

    An event that carries text of several channels has a row for each.
    """
    out = io.StringIO(newline="")
    table = csv.writer(out)
    table.writerow(COLUMNS)
    for capture in resolve_shared(captures):
        _rows(decode(capture), table.writerow)
    return out.getvalue().encode("utf-8", "backslashreplace")


def _rows(stream: Stream, write: object) -> None:
    assert callable(write)
    c, pieces = stream.capture, _pieces(stream)
    before = None
    for event, kind in enumerate(stream.kinds):
        t = stream.times[event]
        gap = "" if before is None else round(t - before, 6)
        before = t
        repeat = "" if c.repeat is None else c.repeat
        lead = [c.hop, c.tap, c.exchange, repeat, event, t, gap, stream.reads[event]]
        lead += [stream.starts[event], stream.ends[event], Kind(kind).name.lower(), stream.names.get(event, "")]
        for choice, part, text in pieces.get(event, [("", "", "")]):
            write([*lead, choice, part, len(text), _safe(text)])


def _pieces(stream: Stream) -> dict[int, list[tuple[int | str, str, str]]]:
    found: dict[int, list[tuple[int | str, str, str]]] = {}
    for event, key, text in stream.deltas():
        found.setdefault(event, []).append((key.choice, key.part, text))
    return found


def _safe(text: str) -> str:
    """A model's text must not become a formula in somebody's spreadsheet."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
