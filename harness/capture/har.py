"""Import HAR files: Chrome's and Firefox's, with and without ``_eventSourceMessages``; ours come back exactly.

A browser's HAR holds decoded text (``content_decoded`` true). With event messages every event has its time.
Without, only the last byte's time is known: the body becomes one read there, and ``meta`` says ``timed`` false,
so that nobody takes it for a burst.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from harness.capture.fields import Object, Place, integer, mapping, parse_json, shown, text
from harness.capture.har_body import content, messages, timed_reads
from harness.capture.har_own import OWN, own_capture
from harness.capture.har_times import EntryTimes, entry_times, shown_moment
from harness.capture.mask import mask_body, mask_headers, mask_url
from harness.capture.model import Capture, Clock, End, Head, Headers, Request, kind_of, stamped

_STREAM_TYPES = ("text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl")
_CHAT_PATHS = ("/chat/completions", "/completions", "/api/chat", "/api/generate", "/messages", "/responses", "/stream")
_EMPTY_MS = 100  # an empty body does not take so long to come
_ERRORS = (
    ("ERR_CONNECTION_TIMED_OUT", "timeout"),
    ("ERR_TIMED_OUT", "timeout"),
    ("ERR_ABORTED", "aborted"),
    ("ERR_INCOMPLETE_CHUNKED", "truncated"),
    ("ERR_CONTENT_LENGTH", "truncated"),
    ("ERR_HTTP2", "truncated"),
    ("ERR_QUIC", "truncated"),
    ("ERR_EMPTY_RESPONSE", "truncated"),
    ("ERR_", "reset"),
    ("NS_BINDING_ABORTED", "aborted"),
    ("NS_ERROR_NET_TIMEOUT", "timeout"),
    ("NS_ERROR_NET_PARTIAL", "truncated"),
    ("NS_ERROR", "reset"),
)


def load_har(data: bytes, name: str = "", hop: str = "har", entry: int | None = None) -> list[Capture]:
    """The streamed exchanges of a HAR, or entry number ``entry`` (0-based index in ``log.entries``) alone.

    An exchange counts as streamed by its messages, its content type, or a POST to a chat API's address. Several
    become repeats. Raises CaptureError naming the entry.
    """
    place = Place(name, "entry")
    place.unit = ""
    try:
        entries: Any = mapping(place, _object(place, parse_json(data.removeprefix(b"\xef\xbb\xbf"))), "log").get(
            "entries"
        )
    except ValueError as error:
        place.fail(f"expected a HAR file, but {error}", "The file is cut off or hand-edited")
    if not isinstance(entries, list):
        place.fail('expected a HAR file with {"log": {"entries": […]}}')
    place.unit = "entry"
    if entry is not None:
        if not 0 <= entry < len(entries):
            place.fail(f"there is no entry {entry}: the file has {len(entries)}", "Entries are counted from 0")
        chosen = [entry]
    else:
        chosen = _last_of_redirects(entries, [index for index, item in enumerate(entries) if _is_stream(item)])
        if not chosen and len(entries) == 1:
            chosen = [0]
    if not chosen:
        place.unit = ""
        if not entries:
            place.fail("the HAR has no entries", "Export it after the exchange, with the network log recording")
        place.fail(f"no streamed exchange among its {len(entries)} entries", "Name the one you mean with --entry N")
    # Among several, those whose body was not kept are left out; where it broke, that is known without.
    bodied = [index for index in chosen if _has_body(entries[index])]
    chosen = bodied or chosen
    captures = []
    for place.line in chosen:
        captures.append(_load(place, _object(place, entries[place.line]), hop))
    if len(captures) > 1 and not all(OWN in entries[index] for index in chosen):
        captures = [replace(capture, repeat=index) for index, capture in enumerate(captures)]
    return captures


def _object(place: Place, value: Any) -> Object:
    if not isinstance(value, dict):
        place.fail(f"expected an object, found {shown(value)}")
    return value


def _is_stream(entry: Any) -> bool:
    """Whether an entry looks like a streamed chat; never raises, for entries that nobody asked for may be odd."""
    if not isinstance(entry, dict):
        return False
    if OWN in entry or entry.get("_eventSourceMessages"):
        return True
    request, response = entry.get("request"), entry.get("response")
    kind = response.get("content") if isinstance(response, dict) else None
    mime = kind.get("mimeType") if isinstance(kind, dict) else None
    if isinstance(mime, str) and mime.lower().startswith(_STREAM_TYPES):
        return True
    if not isinstance(request, dict) or request.get("method") != "POST":
        return False
    return str(request.get("url", "")).partition("?")[0].rstrip("/").endswith(_CHAT_PATHS)


def _has_body(entry: Any) -> bool:
    """Whether its body was kept. A recorder that hands streams on (mitmproxy, asked to) writes an empty one, and
    that it came for seconds."""
    if not isinstance(entry, dict) or OWN in entry or entry.get("_eventSourceMessages") or _error(entry):
        return True
    response, timings = entry.get("response"), entry.get("timings")
    if not isinstance(response, dict):
        return True
    kept = response.get("content")
    if not isinstance(kept, dict) or kept.get("text"):
        return True
    came = timings.get("receive") if isinstance(timings, dict) else None
    handed_on = isinstance(came, int | float) and came >= _EMPTY_MS and response.get("status") == 200
    return not kept.get("size") and not handed_on


def _error(entry: Object) -> str:
    """What broke: Chrome says so in the response, Playwright under another name, others at the entry."""
    response = entry.get("response")
    places = [response, entry] if isinstance(response, dict) else [entry]
    found = (place.get(name) for place in places for name in ("_error", "_failureText"))
    return next((text for text in found if isinstance(text, str) and text), "")


def _last_of_redirects(entries: list[Any], chosen: list[int]) -> list[int]:
    """Without those that only led on to the next one."""
    return [at for place, at in enumerate(chosen, 1) if place == len(chosen) or not _leads_on(entries[at])]


def _leads_on(entry: Object) -> bool:
    response = entry.get("response")
    return OWN not in entry and isinstance(response, dict) and response.get("status") in (301, 302, 303, 307, 308)


def _load(place: Place, entry: Object, hop: str) -> Capture:
    if OWN in entry:
        return own_capture(place, entry)
    if not isinstance(entry.get("request"), dict) or "response" not in entry:
        place.fail('expected "request" and "response", as every HAR entry has')
    if entry.get("_webSocketMessages") is not None or str(entry["request"].get("url")).startswith(("ws:", "wss:")):
        place.fail("this is a WebSocket, which holds no stream over HTTP", "Name another one with --entry N")
    times = entry_times(place, entry)
    response = mapping(place, entry, "response")
    stamps = _after(0.0, [(times.since(t), event) for t, event in messages(place, entry)])
    body = content(place, response)
    if not _has_body(entry):
        place.fail("the HAR was saved without the body", 'Save it again "with content"')
    reads = timed_reads(body, stamps) if body else None
    meta: dict[str, Any] = {"source": "har"}
    if reads is None and stamps:
        reads = stamps
        if body:
            meta["note"] = "the body holds other events than the messages; the messages were taken"
    elif reads is None:
        reads = [(times.end, body)] if body else []
        meta |= {"timed": False, "note": "no event times in this HAR: only the end of the body has one"}
        if body is None:
            meta["note"] = "the browser kept no body of what failed"
    data, at, ends = stamped(reads)
    head = _head(place, response, times)
    return Capture(
        hop=hop,
        kind=kind_of(hop),
        request=_request(place, mapping(place, entry, "request")),
        sent_at=shown_moment(times.sent),
        clock=Clock(source="browser", resolution_ms=0.1),
        # By the standard its text is decoded; some proxies save what they saw.
        content_decoded=not data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")),
        meta=meta,
        head=head,
        body=data,
        times=at,
        ends=ends,
        end=_end(_error(entry), head, max([times.end, *at])),
    )


def _after(start: float, stamps: list[tuple[float, bytes]]) -> list[tuple[float, bytes]]:
    """The messages, all of them later where one came before ``start``: the two times are of two clocks."""
    late = start - min([start, *(t for t, _ in stamps)])
    return [(t + late, event) for t, event in stamps] if late else stamps


def _pairs(place: Place, message: Object) -> Headers:
    found: Any = message.get("headers") or []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        place.fail(f'expected "headers" to be a list of objects, found {shown(found)}')
    return mask_headers((text(place, item, "name"), text(place, item, "value")) for item in found)


def _request(place: Place, request: Object) -> Request:
    posted = mapping(place, {"postData": request.get("postData") or {}}, "postData")
    body: Any = posted.get("text")
    if isinstance(body, str):
        with suppress(ValueError):
            body = parse_json(body.encode("utf-8", "replace"))
    url = mask_url(text(place, request, "url"))
    return Request(text(place, request, "method", "GET"), url, _pairs(place, request), mask_body(body))


def _head(place: Place, response: Object, times: EntryTimes) -> Head | None:
    status = integer(place, response, "status") if response.get("status") is not None else 0
    if status <= 0:
        return None
    http = text(place, response, "httpVersion").lower().removeprefix("http/")
    return Head(
        times.head, status, {"h2": "2", "h3": "3", "2.0": "2", "3.0": "3"}.get(http, http), _pairs(place, response)
    )


def _end(error: str, head: Head | None, t: float) -> End:
    """A browser tells a cut from a reset for nobody; without an error the framing was content."""
    if error:
        kind = next((kind for mark, kind in _ERRORS if mark in error), "truncated")
        if head is not None and kind == "truncated":
            return End(t, kind, f"browser-cannot-tell: {error}")
        return End(t, kind, error)
    if head is None:
        return End(t, "reset", "the browser got no answer")
    return End(t, "complete")
