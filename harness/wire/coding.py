"""Content coding of a body, undone read by read."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any

from harness.capture.model import Capture
from harness.wire.stream import WireFault


@dataclass(slots=True)
class Decoded:
    """``body`` after decoding; read ``i`` made it ``ends[i]`` long."""

    name: str
    body: bytes
    ends: array[int]
    faults: list[WireFault] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def decoded(capture: Capture) -> Decoded:
    return Decoded("identity", capture.body or b"", capture.ends)
