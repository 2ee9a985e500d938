"""A capture as rows: the lines of the capture file without its reads, and back. Pure."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from harness.capture.format import dump_lines
from harness.capture.lines import Lines
from harness.capture.model import Capture

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Frame:
    """What a capture file says beside its reads: its opening, head and end lines; None where it has none."""

    opening: Row
    head: Row | None = None
    end: Row | None = None


def frame_of(capture: Capture) -> Frame:
    """Raises CaptureError for what JSON cannot hold."""
    bare = replace(capture, body=b"", times=array("d"), ends=array("Q"), read_extra={})
    opening, *others = [json.loads(line) for line in dump_lines(bare)]
    head = next((row for row in others if "status" in row), None)
    end = next((row for row in others if "end" in row), None)
    return Frame(opening, head, end)


def capture_of(
    frame: Frame,
    times: array[float],
    ends: array[int],
    body: bytes | None,
    read_extra: Mapping[str, Row] | None = None,
) -> Capture:
    """The capture again; ``read_extra`` by read index as text, since JSON knows no other keys."""
    lines = Lines()
    for row in (frame.opening, frame.head, frame.end):
        if row is not None:
            lines.feed(json.dumps(row).encode())
    extra = {int(index): row for index, row in (read_extra or {}).items()}
    return replace(lines.close(), times=times, ends=ends, body=body, read_extra=extra)
