"""Export captures as HAR 1.2, events as Chrome's ``_eventSourceMessages``, and ``_streamscope`` for the way back.

What HAR itself can hold: request, head, decoded body, the times of head, end and each event. Everything else
(reads, raw coded bytes, clock, end, unknown keys) travels in ``_streamscope``, so that importing gives back the
same capture. A capture without ``sent_at`` starts at 1970-01-01, and its message times count from there.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from harness.capture.bundle import resolve_shared
from harness.capture.har_own import OWN, own_field
from harness.capture.model import Capture, Headers
from harness.wire.decode import decode
from harness.wire.stream import Stream

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LINE = re.compile(r"\r\n|\r|\n")


def to_har(captures: Sequence[Capture]) -> bytes:
    """The captures as one HAR file, an entry each, in their order."""
    lent = resolve_shared(captures)
    entries = [_entry(shown, own) for shown, own in zip(lent, captures, strict=True)]
    creator = {"name": "Streamscope", "version": "1"}
    log = {"version": "1.2", "creator": creator, "pages": [], "entries": entries}
    return json.dumps({"log": log}, indent=1).encode() + b"\n"


def _entry(capture: Capture, own: Capture) -> dict[str, Any]:
    stream = decode(capture)
    started = _moment(capture.sent_at)
    head_at = max(capture.head.t, 0.0) if capture.head else 0.0
    last = max([head_at, *capture.times, *([capture.end.t] if capture.end else [])])
    content = _content(capture, stream)
    shown = content["text"].encode() if "encoding" not in content else stream.body
    found = {
        "startedDateTime": started.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "time": last,
        "request": _request(capture),
        "response": _response(capture, content),
        "cache": {},
        "timings": {
            "blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": head_at, "receive": last - head_at,
        },
        "comment": f"{capture.hop} ({capture.tap})",
        "_resourceType": "fetch",
    }  # fmt: skip
    if stream.framing == "sse":
        found["_eventSourceMessages"] = [_message(stream, event, started) for event in range(len(stream))]
    found[OWN] = own_field(own, shown)
    return found


def _moment(sent_at: str) -> datetime:
    try:
        found = datetime.fromisoformat(sent_at)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return _EPOCH


def _pairs(headers: Headers) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers]


def _request(capture: Capture) -> dict[str, Any]:
    request = capture.request
    url = request.url if request else ""
    try:
        query = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    except ValueError:
        query = []
    found: dict[str, Any] = {
        "method": request.method if request else "POST", "url": url, "httpVersion": _version(capture), "cookies": [],
        "headers": _pairs(request.headers if request else ()), "queryString": _pairs(tuple(query)),
        "headersSize": -1, "bodySize": -1,
    }  # fmt: skip
    if request is not None and request.body is not None:
        text = request.body if isinstance(request.body, str) else json.dumps(request.body, ensure_ascii=False)
        found["postData"] = {"mimeType": "application/json", "text": text}
    return found


def _response(capture: Capture, content: dict[str, Any]) -> dict[str, Any]:
    head = capture.head
    found: dict[str, Any] = {
        "status": head.status if head else 0, "statusText": "", "httpVersion": _version(capture), "cookies": [],
        "headers": _pairs(head.headers if head else ()), "content": content, "redirectURL": "", "headersSize": -1,
        "bodySize": len(capture.body) if capture.body is not None else -1,
    }  # fmt: skip
    if capture.end is not None and capture.end.kind != "complete":
        found["_error"] = f"{capture.end.kind}: {capture.end.detail}" if capture.end.detail else capture.end.kind
    return found


def _version(capture: Capture) -> str:
    return f"HTTP/{capture.head.http}" if capture.head and capture.head.http else "unknown"


def _content(capture: Capture, stream: Stream) -> dict[str, Any]:
    kind = capture.head.get("content-type") if capture.head else ""
    found: dict[str, Any] = {"size": len(stream.body), "mimeType": kind or "x-unknown"}
    try:
        return {**found, "text": stream.body.decode("utf-8")}
    except UnicodeDecodeError:
        return {**found, "text": base64.b64encode(stream.body).decode("ascii"), "encoding": "base64"}


def _message(stream: Stream, event: int, started: datetime) -> dict[str, Any]:
    """One event as Chrome writes it; ``time`` in seconds since 1970."""
    ident, data = "", []
    for line in _LINE.split(stream.raw(event).decode("utf-8", "replace")):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "id":
            ident = value
    at = (started - _EPOCH) / timedelta(seconds=1) + stream.times[event] / 1000.0
    return {"time": at, "eventName": stream.names.get(event, "message"), "eventId": ident, "data": "\n".join(data)}
