"""Import ``curl -N --trace-time --trace FILE`` (or ``--trace-ascii``): each exchange in it becomes a capture.

One ``Recv data`` record is one read. Chunk framing, which curl shows, is taken out; TLS records, talk with a
proxy, interim answers, redirects and authentication rounds are passed by. curl writes the time of day and no
date, so ``sent_at`` stays empty and ``meta`` keeps ``local_time``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from harness.capture.curl_ascii import NOTE, restore_lines
from harness.capture.curl_blocks import Record, Trace
from harness.capture.curl_ends import closed, end_of, unreached
from harness.capture.fields import Place, parse_json
from harness.capture.http1 import Framing, RequestHead, ResponseHead, header, request_head, response_head
from harness.capture.mask import mask_body, mask_headers, mask_url
from harness.capture.model import Capture, Clock, End, Head, Request, kind_of, stamped

UNTIMED = "the trace has no times: record with --trace-time to have delays judged"
_INTERIM = ([b"100"], [b"102"], [b"103"])


@dataclass(slots=True)
class Exchange:
    """What the trace shows of one request and its answer; times in µs on the trace's own clock."""

    start: int
    clock: str
    secure: bool = False
    asked: bytearray = field(default_factory=bytearray)
    sent: bytearray = field(default_factory=bytearray)
    head: bytearray = field(default_factory=bytearray)
    head_at: int | None = None
    reads: list[tuple[int, bytes]] = field(default_factory=list)
    said: list[tuple[int, str]] = field(default_factory=list)
    last: int = 0

    def ms(self, us: int) -> float:
        """Milliseconds since the request went out; a clock that was set back goes no further than that."""
        return max(us - self.start, 0) / 1000

    def request(self) -> RequestHead | None:
        return request_head(bytes(self.asked))

    def response(self) -> ResponseHead | None:
        return response_head(bytes(self.head))

    def pending(self) -> bool:
        """Whether more of the answer must come: none or part of it is there, and nothing said that it ended."""
        request, response = self.request(), self.response()
        if self.said or (request is not None and request.method == "CONNECT"):
            return False
        if response is None:
            return True
        if not 200 <= response.status < 300:  # a redirect, a challenge: curl leaves such bodies unread
            return False
        framing, _, done_at = _unframed(self, response)
        return done_at is None and not framing.broken

    def take_header(self, record: Record) -> None:
        """One header line of the answer. An interim answer (1xx) gives way to the next; trailers are dropped."""
        if record.data.startswith(b"HTTP/"):
            if self.reads:
                return
            self.head, self.head_at = bytearray(), None
        if self.head_at is None:
            self.head += record.data
            interim = self.head.split(b" ", 2)[1:2] in _INTERIM
            if record.data in (b"\r\n", b"\n") and not interim:
                self.head_at = record.us


def load_curl_trace(data: bytes, name: str = "", hop: str = "curl") -> list[Capture]:
    """The exchanges of a trace, in order, as captures of ``hop``. Raises CaptureError with file and line.

    Several exchanges in one file become repeats. A connection that could not be made is a capture without a head.
    """
    place = Place(name)
    trace = Trace(data, place)
    exchanges = _exchanges(trace)
    if not exchanges:
        place.line = 1
        place.fail("the trace shows no request", "Record with: curl -N --trace-time --trace FILE URL")
    kept, passed = _final(exchanges)
    captures = [_capture(exchange, hop, trace, passed.get(index, [])) for index, exchange in kept]
    if len(captures) > 1:
        captures = [replace(capture, repeat=index) for index, capture in enumerate(captures)]
    return captures


def _exchanges(trace: Trace) -> list[Exchange]:
    """Every request of the trace, also those that were only on the way to the last one."""
    found: list[Exchange] = []
    current: dict[str, Exchange | None] = {}
    secure: dict[str, bool] = {}
    failed: list[tuple[int, str]] = []  # µs, curl's words
    first: Record | None = None
    for record in trace.records():
        first = first or record
        at = current.get(record.transfer)
        if record.what == "info":
            if record.text.startswith(("SSL connection using", "using HTTP/3")):
                secure[record.transfer] = True
            elif record.text.startswith(("Connected to", "Established connection")):
                secure[record.transfer] = False
            if at is not None and (end_of(record.text) or unreached(record.text) or closed(record.text)):
                at.said.append((record.us, record.text))
            elif at is None and (end_of(record.text) or unreached(record.text)):
                failed.append((record.us, record.text))
            continue
        if record.what == "ssl":
            continue
        if record.sent and record.what == "header" and (at is None or at.head or b"\r\n\r\n" in at.asked):
            if at is not None and at.pending():
                trace.place.line = record.line
                trace.place.fail(
                    "a second transfer begins before the first has ended, and the records do not tell them apart",
                    "Record with --trace-ids (curl 8.2 or newer), or each transfer alone",
                )
            at = Exchange(record.us, record.clock, secure.get(record.transfer, False))
            current[record.transfer] = at
            found.append(at)
        if at is None:
            continue
        at.last = record.us
        if record.sent:
            (at.asked if record.what == "header" else at.sent).extend(record.data)
        elif record.what == "header":
            at.take_header(record)
        else:
            at.reads.append((record.us, record.data))
    if not found and failed and first is not None:
        found.append(Exchange(first.us, first.clock, said=failed[-1:], last=failed[-1][0]))
    return found


def _final(exchanges: list[Exchange]) -> tuple[list[tuple[int, Exchange]], dict[int, list[str]]]:
    """The exchanges that are nobody's way station, and for each the addresses that led to it."""
    kept: list[tuple[int, Exchange]] = []
    passed: dict[int, list[str]] = {}
    way: list[str] = []
    for index, exchange in enumerate(exchanges):
        request, response = exchange.request(), exchange.response()
        status = response.status if response else 0
        onward = index + 1 < len(exchanges)
        tunnel = request is not None and request.method == "CONNECT" and 200 <= status < 300
        if onward and (tunnel or status in (301, 302, 303, 307, 308, 401, 407)):
            if not tunnel:
                way.append(f"{status} {mask_url(_url(exchange, request))}")
            continue
        kept.append((index, exchange))
        passed[index], way = way, []
    return kept, passed


def _url(exchange: Exchange, request: RequestHead | None) -> str:
    if request is None:
        return ""
    if "://" in request.target or request.method == "CONNECT":
        return request.target
    return f"{'https' if exchange.secure else 'http'}://{header(request.headers, 'host')}{request.target}"


def _capture(exchange: Exchange, hop: str, trace: Trace, passed: list[str]) -> Capture:
    lossy = trace.lossy
    response = exchange.response()
    framing, reads, done_at = _unframed(exchange, response)
    if framing.broken and not reads:
        # Some builds show the body with its framing taken out already; only curl's words tell the end then.
        framing, reads, done_at = _unframed(exchange, None)
    body, times, ends = stamped(reads)
    if lossy:
        body = restore_lines(body)
    head = None
    if response is not None:
        at = exchange.last if exchange.head_at is None else exchange.head_at
        head = Head(exchange.ms(at), response.status, response.http, mask_headers(response.headers))
    meta: dict[str, Any] = {"source": "curl --trace-ascii" if lossy else "curl --trace"}
    meta |= {"local_time": exchange.clock} if trace.timed else {"timed": False, "note": UNTIMED}
    meta |= {"lossy": NOTE} if lossy else {}
    meta |= {"passed": passed} if passed else {}
    return Capture(
        hop=hop,
        kind=kind_of(hop),
        request=_request(exchange, lossy),
        clock=Clock(source="wall clock of curl", resolution_ms=0.001) if trace.timed else None,
        meta=meta,
        head=head,
        body=body,
        times=times,
        ends=ends,
        end=_end(exchange, framing, done_at),
    )


def _unframed(
    exchange: Exchange, response: ResponseHead | None
) -> tuple[Framing, list[tuple[float, bytes]], int | None]:
    """The reads without their framing, and when (µs) the framing told the end; None when it did not."""
    framing = Framing(response.headers, response.http) if response else Framing(())
    reads: list[tuple[float, bytes]] = []
    done_at: int | None = exchange.head_at if framing.done else None
    for t, raw in exchange.reads:
        data = framing.feed(raw)
        if data:
            reads.append((exchange.ms(t), data))
        if framing.done and done_at is None:
            done_at = t
    return framing, reads, done_at


def _request(exchange: Exchange, lossy: bool) -> Request | None:
    request = exchange.request()
    if request is None:
        return None
    sent = bytes(exchange.sent)
    body: Any = restore_lines(sent) if lossy else sent
    try:
        body = parse_json(body)
    except ValueError:
        body = body.decode("utf-8", "replace") or None
    url = mask_url(_url(exchange, request))
    return Request(request.method, url, mask_headers(request.headers), mask_body(body))


def _end(exchange: Exchange, framing: Framing, done_at: int | None) -> End:
    """The framing's word first, then curl's. Nothing said: the recording stopped before the end."""
    if done_at is not None:
        return End(exchange.ms(done_at), "complete")
    for t, text in exchange.said:
        kind = end_of(text) or ("reset" if unreached(text) else "")
        if kind:
            return End(exchange.ms(t), kind, text)
    if framing.broken:
        return End(exchange.ms(exchange.last), "truncated", framing.broken)
    for t, text in exchange.said:
        if closed(text):
            whole = framing.delimited and exchange.head_at is not None
            return End(exchange.ms(t), "complete" if whole else "truncated", "" if whole else text)
    return End(exchange.ms(exchange.last), "open", "interrupted")
