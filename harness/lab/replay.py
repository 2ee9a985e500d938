"""A capture becomes a model of the lab: the same bytes at the same times, with the same end."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from harness.capture.model import Capture
from harness.capture.sniff import load_any
from harness.errors import InputError
from harness.lab.gateways.model import forwardable
from harness.lab.plan import Emission, Headers, Plan
from harness.lab.reading import classified
from harness.lab.scenarios import Scenario

ENDS = {"complete": "complete", "truncated": "cut", "reset": "reset"}


def plan_of(capture: Capture, scale: float = 1.0) -> Plan:
    """The capture as a plan, times multiplied by ``scale``.

    Captures that were left (aborted, timeout, open) fall silent with the connection open. The body is sent
    chunked; a Content-Length is repeated only where the body is shorter than it said.
    """
    reads = [Emission(t * scale, "raw", data=data) for t, data in capture.reads() if data]
    rows = tuple(classified(e) if _whole(e.data or b"") else e for e in reads)
    end = ENDS.get(capture.end.kind, "hang") if capture.end else "hang"
    last = rows[-1].at if rows else 0.0
    if capture.head is None:
        return Plan(rows, head_at=None, end="reset" if end == "reset" else "hang", end_at=last)
    head = capture.head
    end_at = max(last, capture.end.t * scale if capture.end else 0.0)
    headers = _headers(capture)
    length = next((int(v) for k, v in head.headers if k == "content-length" and v.isdigit()), None)
    short = length is not None and not capture.content_decoded and len(capture.body or b"") < length
    transfer = "length" if short else "chunked"
    return Plan(
        rows, head.status, headers, transfer=transfer, declared=length if short else None,
        head_at=min(head.t * scale, rows[0].at if rows else head.t * scale), end=end, end_at=end_at,
    )  # fmt: skip


def replays(files: Iterable[str], scale: float = 1.0) -> dict[str, Scenario]:
    """One model a capture: ``replay-STEM``, numbered where a file holds several. InputError names the file."""
    found: dict[str, Scenario] = {}
    for name in files:
        path = Path(name)
        try:
            captures = load_any(path.read_bytes(), name)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", name, "Name a capture file.") from None
        stem = path.name.removesuffix(".jsonl").removesuffix(".capture").removesuffix(".har")
        for number, capture in enumerate(captures, 1):
            if capture.body is None:
                raise InputError("holds stamps without bytes", name, "Replay the capture that holds the body.")
            model = f"replay-{stem}" + (f"-{number}" if len(captures) > 1 else "")
            about = f"replay of {path.name}: {len(capture.times)} reads at {capture.hop}"
            found[model] = Scenario(model, about, plan=plan_of(capture, scale))
    return found


def _whole(data: bytes) -> bool:
    """Whether a read is one whole event, so that faults may be put on top."""
    return data.endswith((b"\n\n", b"\r\n\r\n")) and data.replace(b"\r\n", b"\n").count(b"\n\n") == 1


def _headers(capture: Capture) -> Headers:
    assert capture.head is not None
    dropped = {"content-encoding"} if capture.content_decoded else set()
    return tuple((k, v) for k, v in forwardable(capture.head.headers) if k not in dropped)
