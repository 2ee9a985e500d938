"""Import what a plain ``curl -N URL > FILE`` leaves: a body, with its head after ``-i``, with a clock after ``| ts``.

No byte of it was stamped (unless by ``ts``), so ``meta.timed`` is false and nobody is blamed for delays. How the
connection ended is not in it either: where the stream itself does not tell its end, the file's end is taken for it.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from harness.capture.curl_verbose import looks_like_verbose, read_verbose, without_meter
from harness.capture.fields import Place
from harness.capture.http1 import ResponseHead, header, response_head
from harness.capture.mask import mask_headers
from harness.capture.model import Capture, Clock, End, Head, kind_of, stamped
from harness.capture.stamped_lines import Lines, stamped_lines

_STREAM = re.compile(rb"(?:data|event|id|retry)(?::|\r?\n)|:|\[DONE\]")
_HTTP = re.compile(rb"HTTP/\d(?:\.\d)? \d{3}[ \r\n]")
# What bodies of chat APIs have at their top: chunks and records, whole answers, refusals.
_KEYS = frozenset(
    {"choices", "error", "response", "message", "candidates", "delta", "detail", "output", "done", "code"}
)
UNTIMED = "a saved body has no times: record with curl -N --trace-time --trace FILE to have delays judged"
SECONDS = "its stamps are whole seconds: too coarse for delays"
ENDED = "the file ends here; how the connection ended is not in it"


def looks_like_saved(data: bytes) -> bool:
    """Whether the bytes begin as a stream's body, an HTTP head, a ``curl -v`` log, or any of these behind ``ts``."""
    start = without_meter(data[:65536].removeprefix(b"\xef\xbb\xbf")).lstrip(b"\r\n")
    if _is_body(start, data) or _HTTP.match(start) or looks_like_verbose(start):
        return True
    lines = stamped_lines(start)
    return lines is not None and _begins(b"".join(text for _, text in lines.rows))


def load_saved(data: bytes, name: str = "", hop: str = "saved") -> list[Capture]:
    """The one exchange of such a file. Raises CaptureError where there is a head and nothing that could be one."""
    data = without_meter(data)
    if looks_like_verbose(data[:65536].lstrip(b"\r\n")):
        talk = read_verbose(data)
        found = _capture([(0.0, talk.body)], talk.head, hop, "curl -v", None)
        return [replace(found, request=talk.request, end=talk.end or found.end)]
    lines = None if _is_body(data[:65536], data) or _HTTP.match(data) else stamped_lines(data)
    reads = (
        [(0.0, data.lstrip(b"\r\n") if _HTTP.match(data.lstrip(b"\r\n")) else data)] if lines is None else lines.rows
    )
    head, reads = _split_head(Place(name), reads)
    return [_capture(reads, head, hop, "saved body" if lines is None else "stamped lines", lines)]


def _begins(body: bytes) -> bool:
    return bool(_STREAM.match(body.lstrip(b"\r\n")) or _HTTP.match(body) or body.lstrip()[:2] == b'{"')


def _is_body(start: bytes, data: bytes) -> bool:
    """Whether it is an event stream, or JSON (a record a line, or one whole) as chat APIs answer it."""
    if _STREAM.match(start):
        # YAML too may begin with `id:` or `data:`, and then goes on otherwise.
        lines = [line for line in start[:16384].splitlines() if line][:50]
        return sum(_STREAM.match(line) is not None for line in lines) >= 0.8 * len(lines)
    if not start.startswith(b"{"):
        return False
    for text in (start.split(b"\n", 1)[0], data if len(data) <= 1 << 20 else b""):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            continue
        return isinstance(found, dict) and not _KEYS.isdisjoint(found) and not {"capture", "log"} & found.keys()
    return False


def _split_head(place: Place, reads: list[tuple[float, bytes]]) -> tuple[Head | None, list[tuple[float, bytes]]]:
    """The head of ``curl -i`` and the reads behind it; the heads of interim answers, proxies and redirects go by."""
    head: Head | None = None
    body, times, ends = stamped(reads)
    at = 0
    while _HTTP.match(body, at):
        stop = re.compile(rb"\r?\n\r?\n").search(body, at)
        found = response_head(body[at : stop.start() if stop else len(body)])
        if found is None:
            place.fail("expected an HTTP head, as curl -i writes it")
        at = stop.end() if stop else len(body)
        t = next((t for t, end in zip(times, ends, strict=True) if end >= at), 0.0)
        head = _head(t, found)
    kept, start = [], 0
    for t, end in zip(times, ends, strict=True):
        if end > at:
            kept.append((t, body[max(start, at) : end]))
        start = end
    return head, kept


def _head(t: float, found: ResponseHead) -> Head:
    return Head(t, found.status, found.http, mask_headers(found.headers))


def _capture(
    reads: list[tuple[float, bytes]], head: Head | None, hop: str, source: str, lines: Lines | None
) -> Capture:
    body, times, ends = stamped(read for read in reads if read[1])
    timed = lines is not None and lines.resolution_ms < 1000
    meta: dict[str, Any] = {"source": source}
    if not timed:
        meta |= {"timed": False, "note": UNTIMED if lines is None else SECONDS}
    else:
        meta["began"] = "first-byte"  # when the request went out is not known
    coded = header(head.headers, "content-encoding") if head is not None else ""
    return Capture(
        hop=hop,
        kind=kind_of(hop),
        clock=Clock(source="ts", resolution_ms=lines.resolution_ms) if lines is not None else None,
        # What begins as text was decoded (--compressed) before it was saved, whatever the header still says.
        content_decoded=bool(coded) and _begins(body),
        meta=meta,
        head=head,
        body=body,
        times=times,
        ends=ends,
        end=End(times[-1] if times else 0.0, "complete", ENDED),
    )
