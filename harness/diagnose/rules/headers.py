"""headers: response headers that contradict the body, or that streams should not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.diagnose.answer import Finding
from harness.diagnose.fault import Fault
from harness.diagnose.pair import Pair
from harness.diagnose.view import View
from harness.phrase import phrase

BOTH = Fault(
    "headers.both-lengths",
    "Content-Length ({length}) and Transfer-Encoding ({coding}) stand in one response.",
    "RFC 9112 6.2 forbids it: hops may disagree about where the body ends (request smuggling).",
    "Drop Content-Length on chunked responses.",
)
TYPE = Fault(
    "headers.content-type",
    "The body is an event stream, the content type says {content_type}.",
    "Proxies and SDKs choose by the type: they buffer, compress or refuse what is not text/event-stream.",
    "Send Content-Type: text/event-stream.",
)
RECORDS = Fault(
    "headers.records",
    "The body is JSON records, one a line; the content type says {content_type}.",
    "A relay names the type that it was asked for and passes the records of another protocol on: readers of events "
    "find none.",
    "Send Content-Type: application/x-ndjson, or wrap each record as an event (data: …, blank line).",
)
CHARSET = Fault(
    "headers.charset",
    "The content type names charset {charset}: event streams are UTF-8 always.",
    "A framework's default.",
    "Leave the charset out or say utf-8.",
)
CODING = Fault(
    "headers.content-encoding",
    "Content-Encoding says {coding}, the bytes are not: clients that believe it show nothing.",
    "A hop undid (or never did) the coding and kept the header.",
    "Drop the header where the coding is undone.",
)
SHORT = Fault(
    "headers.length-mismatch",
    "Content-Length says {length} bytes, {received} came, and the end is told as complete.",
    "The length belongs to another body.",
    "Drop Content-Length on streams.",
)
HOP_BY_HOP = Fault(
    "headers.http2",
    "HTTP/{http} response with {names}: such headers belong to HTTP/1.1 connections.",
    "RFC 9113 8.2.2 calls the message malformed; strict clients reset the stream.",
    "Strip connection headers where the protocol changes.",
)
TWICE = Fault(
    "headers.twice",
    "{name} stands {count} times in one response ({values}).",
    "A hop added its own beside the one that came from behind; strict readers (nginx since 1.23, Node) refuse such a "
    "response whole.",
    "Replace the header where it is set, do not add to it; drop hop-by-hop headers that came from behind.",
)
CACHEABLE = Fault(
    "headers.cacheable",
    "The stream may be stored: Cache-Control {value}.",
    "A cache in front may play this answer back to others.",
    "Cache-Control: no-cache, no-transform (or no-store) on streams.",
)
EATEN = Fault(
    "headers.eaten",
    "{hop} takes off {names} that {hop_inner} sends.",
    "nginx, for one, obeys X-Accel-Buffering and strips it: a second proxy in front does not see it.",
    "If a proxy stands in front of this one, pass the header on (proxy_pass_header X-Accel-Buffering).",
)


def alone(view: View) -> Iterator[Finding]:
    if view.head is None:
        return
    length, coding = view.header("content-length"), view.header("transfer-encoding")
    if length and coding:
        yield BOTH.found(view, "warning", at_ms=view.head.t, length=length, coding=coding)
    for name, values in _twice(view):
        yield TWICE.found(view, "warning", at_ms=view.head.t, name=name, count=len(values), values=values)
    wrong = [name for name in ("transfer-encoding", "connection", "keep-alive") if view.header(name)]
    if wrong and view.head.http[:1] in ("2", "3"):
        yield HOP_BY_HOP.found(view, "warning", at_ms=view.head.t, http=view.head.http, names=wrong)
    cache = view.header("cache-control").lower()
    if view.streamed and re.search(r"max-age=[1-9]|public|immutable", cache) and "no-store" not in cache:
        yield CACHEABLE.found(view, "warning", at_ms=view.head.t, value=cache)
    kind, _, parameters = view.header("content-type").lower().partition(";")
    if view.stream.framing == "sse" and view.content and view.head.headers and kind.strip() != "text/event-stream":
        yield TYPE.found(view, "warning", at_ms=view.head.t, content_type=kind.strip() or phrase("nothing"))
    if view.stream.framing == "ndjson" and view.content and kind.strip() == "text/event-stream":
        yield RECORDS.found(view, "warning", at_ms=view.head.t, content_type=kind.strip())
    charset = parameters.partition("charset=")[2].strip(' ";')
    if charset and charset not in ("utf-8", "utf8") and view.streamed:
        yield CHARSET.found(view, "warning", at_ms=view.head.t, charset=charset)
    if any(fault.code == "coding-header" for fault in view.stream.faults) and not view.capture.content_decoded:
        yield CODING.found(view, "error", at_ms=view.head.t, coding=view.header("content-encoding"))
    received = len(view.capture.body or b"")
    if (
        length.isdigit()
        and not coding
        and int(length) != received
        and view.end == "complete"
        and not view.capture.content_decoded
    ):
        yield SHORT.found(view, "warning", at_ms=view.head.t, length=int(length), received=received)


def _twice(view: View) -> Iterator[tuple[str, list[str]]]:
    """Headers that may stand once: chunked is applied once, a body has one type, length and coding of its own."""
    for name in ("transfer-encoding", "content-length", "content-type"):
        lines = [value for key, value in (view.head.headers if view.head else ()) if key == name]
        parts = lines if name == "content-type" else [part for line in lines for part in line.split(",")]
        values = [part.strip().lower() for part in parts]
        if len(values) > 1 and (name != "transfer-encoding" or values.count("chunked") > 1):
            yield name, values


def between(pair: Pair) -> Iterator[Finding]:
    """A hint that only the next hop needs: a fact, no fault."""
    if pair.inner.header("x-accel-buffering") and pair.outer.head and not pair.outer.header("x-accel-buffering"):
        yield EATEN.found(pair.outer, "info", inner=pair.inner, at_ms=pair.outer.head.t, names=["x-accel-buffering"])
