"""The capture file ``*.capture.jsonl``: bytes to Capture and back, exactly."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from typing import Any

from harness.capture.lines import VERSION, Lines
from harness.capture.model import Capture, Clock, End, Head, Request
from harness.errors import CaptureError

LIMIT = 512 * 1024 * 1024
"""Bytes of one input that are taken in at most; what is longer is refused, by name, before it fills the memory."""


def check_size(size: int, name: str = "", limit: int = LIMIT) -> None:
    """Refuse an input of ``size`` bytes above ``limit`` with CaptureError. Callers ask before they read a file."""
    if size > limit:
        what = f"the file has {size:,} bytes, more than the {limit // 1024**2} MiB that are read at most"
        do = "Record a shorter stream, or split the file by exchange" if limit == LIMIT else "Is it the right file?"
        raise CaptureError(what, name, do)


def loads(data: bytes, name: str = "") -> Capture:
    """One capture file's bytes as a Capture. Raises CaptureError naming ``name``, the line and what was expected."""
    check_size(len(data), name)
    return load_lines(split_lines(data), name)


def load_lines(lines: Iterable[bytes], name: str = "") -> Capture:
    """The same from an iterator of lines (an open binary file), so that the text never lies in memory whole."""
    reader = Lines(name)
    for index, line in enumerate(lines):
        reader.feed(line.removeprefix(b"\xef\xbb\xbf") if index == 0 else line)
    return reader.close()


def dumps(capture: Capture) -> bytes:
    """The capture as file bytes; ``loads`` gives back an equal one. Raises CaptureError on what JSON cannot hold."""
    return b"".join(dump_lines(capture))


def dump_lines(capture: Capture) -> Iterator[bytes]:
    """The lines of :func:`dumps` one by one, each with its line end."""
    yield _line(_opening(capture))
    if capture.head is not None:
        yield _line(_head(capture.head))
    start, body = 0, capture.body
    for index, (t, stop) in enumerate(zip(capture.times, capture.ends, strict=True)):
        extra = capture.read_extra.get(index, {})
        if body is None:
            yield _line({"t": t, "upto": stop, **_kept(extra)})
        elif "upto" in extra:
            yield _line({"t": t, **_kept(extra), "upto": extra["upto"]})
        else:
            yield _line({"t": t, **_content(body[start:stop]), **_kept(extra)})
            start = stop
    if capture.end is not None:
        yield _line(_end(capture.end))


def split_lines(data: bytes) -> Iterator[bytes]:
    """Lines at LF alone: JSON escapes it, and other line ends may stand inside texts."""
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start)
        stop = len(data) if stop < 0 else stop
        yield data[start:stop]
        start = stop + 1


def _content(data: bytes) -> dict[str, str]:
    try:
        return {"data": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(data).decode("ascii")}


def _kept(extra: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in extra.items() if key not in ("t", "status", "data", "b64", "upto", "end")}


def _opening(c: Capture) -> dict[str, Any]:
    found: dict[str, Any] = {"capture": VERSION, "hop": c.hop, "kind": c.kind, "tap": c.tap}
    optional = {
        "wire": c.wire or None,
        "exchange": c.exchange or None,
        "route": c.route or None,
        "repeat": c.repeat,
        "request": None if c.request is None else _request(c.request),
        "sent_at": c.sent_at or None,
        "clock": None if c.clock is None else _clock(c.clock),
    }
    found |= {key: value for key, value in optional.items() if value is not None}
    found["content_decoded"] = c.content_decoded
    if c.meta:
        found["meta"] = c.meta
    return {**found, **{key: value for key, value in c.extra.items() if key not in found}}


def _request(r: Request) -> dict[str, Any]:
    found: dict[str, Any] = {"method": r.method, "url": r.url, "headers": [list(pair) for pair in r.headers]}
    if r.body is not None:
        found["body"] = r.body
    return {**r.extra, **found}


def _clock(c: Clock) -> dict[str, Any]:
    figures = {"resolution_ms": c.resolution_ms, "offset_ms": c.offset_ms, "uncertainty_ms": c.uncertainty_ms}
    return {**c.extra, "id": c.id, "source": c.source, **figures}


def _head(h: Head) -> dict[str, Any]:
    found: dict[str, Any] = {"t": h.t, "status": h.status}
    if h.http:
        found["http"] = h.http
    return {**found, "headers": [list(pair) for pair in h.headers], **h.extra}


def _end(e: End) -> dict[str, Any]:
    return {"t": e.t, "end": e.kind, "detail": e.detail, **e.extra}


def _line(obj: dict[str, Any]) -> bytes:
    try:
        text = json.dumps(obj, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise CaptureError(f"the capture holds what JSON cannot: {error}") from None
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate, which JSON can hold only as an escape
        return json.dumps(obj, allow_nan=False).encode() + b"\n"
