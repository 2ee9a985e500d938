"""TCP segments of a packet capture into captures: bytes put in order, HTTP/1.1 exchanges cut out of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from harness.capture.fields import parse_json
from harness.capture.http1 import Framing, RequestHead, header, request_head, response_head
from harness.capture.mask import mask_body, mask_headers, mask_url
from harness.capture.model import Capture, Clock, End, Head, Request, kind_of, stamped

MISSED = "the recording misses packets that the client got"
_HEAD_LIMIT = 1 << 20
_EARLY_LIMIT = 256  # segments that wait for a hole; more, and the recorder missed a packet that the client got
_HTTP2 = b"PRI * HTTP/2.0\r\n"
_STREAMS = ("text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl")


@dataclass(frozen=True, slots=True)
class Segment:
    """One TCP segment: ``stream`` numbers the connection, ``ns`` since 1970, ``seq`` relative to its direction."""

    stream: int
    ns: int
    source: str
    target: str
    seq: int
    data: bytes
    fin: bool = False
    rst: bool = False


@dataclass(slots=True)
class _Direction:
    """Bytes of one direction in order: doubles are dropped, what comes early waits for the hole before it.

    ``fin``: where its end stands. ``missed``: a hole was never filled, so the recorder missed what the reader got.
    """

    following: int | None = None
    early: dict[int, bytes] = field(default_factory=dict)
    fin: int | None = None
    missed: bool = False

    def ended(self) -> bool:
        """Whether all bytes up to its FIN are there."""
        return self.fin is not None and (self.following is None or self.following >= self.fin)

    def feed(self, seq: int, data: bytes) -> bytes:
        if not data or self.missed:
            return b""
        if self.following is None:
            self.following = seq
        self.early[seq] = max(self.early.get(seq, b""), data, key=len)
        if len(self.early) > _EARLY_LIMIT:
            self.missed = True
            self.early.clear()
            return b""
        out = b""
        for start in sorted(self.early):
            if start > self.following:
                break
            piece = self.early.pop(start)[self.following - start :]
            out += piece
            self.following += len(piece)
        return out


@dataclass(slots=True)
class _Exchange:
    start: int
    asked: RequestHead
    sent: bytearray
    upload: Framing
    raw_head: bytearray = field(default_factory=bytearray)
    head: Head | None = None
    framing: Framing | None = None
    reads: list[tuple[float, bytes]] = field(default_factory=list)
    end: End | None = None
    last: float = 0.0

    def ms(self, ns: int) -> float:
        return (ns - self.start) / 1_000_000


class Connection:
    """One TCP connection, segment after segment; ``exchanges`` are the requests found on it."""

    def __init__(self) -> None:
        self.client = ""
        self.exchanges: list[_Exchange] = []
        self.encrypted = self.http2 = False
        self._ways: dict[str, _Direction] = {}
        self._asked = bytearray()
        self._began = 0

    def feed(self, segment: Segment) -> None:
        way = self._ways.setdefault(segment.source, _Direction())
        data = way.feed(segment.seq, segment.data)
        if not self.client and data:
            # A recording may begin amid a connection: whoever asks is the client, whoever opened it.
            self.encrypted = self.encrypted or data[:2] == b"\x16\x03"
            self.http2 = self.http2 or data.startswith(_HTTP2)
            self.client = segment.target if data.startswith(b"HTTP/") else segment.source
        sender_asks = segment.source == self.client
        if data and not self.http2:
            self._ask(segment.ns, data) if sender_asks else self._answer(segment.ns, data)
        if segment.fin:
            way.fin = segment.seq + len(segment.data)
        if segment.rst or way.ended():
            self._close(segment.ns, sender_asks, segment.rst)

    def close(self) -> None:
        """The recording is over. A hole that nobody filled is the recorder's, who missed a packet."""
        at = self.exchanges[-1] if self.exchanges else None
        holes = any(way.missed or way.early or (way.fin is not None and not way.ended()) for way in self._ways.values())
        if holes and at is not None and (at.end is None or at.end.kind in ("reset", "aborted")):
            at.end = End(at.last, "open", MISSED)

    def _ask(self, ns: int, data: bytes) -> None:
        at = self.exchanges[-1] if self.exchanges else None
        if at is not None and not at.upload.delimited and not at.upload.done:
            at.sent += at.upload.feed(data)
            return
        if not self._asked:
            self._began = ns
        self._asked += data
        stop = self._asked.find(b"\r\n\r\n")
        if stop < 0:
            if len(self._asked) > _HEAD_LIMIT:
                self._asked.clear()
            return
        head = request_head(bytes(self._asked[:stop]))
        rest = bytes(self._asked[stop + 4 :])
        self._asked.clear()
        if head is not None:
            upload = Framing(head.headers)
            self.exchanges.append(_Exchange(self._began, head, bytearray(upload.feed(rest)), upload))

    def _answer(self, ns: int, data: bytes) -> None:
        at = self.exchanges[-1] if self.exchanges else None
        if at is None or at.end is not None:
            return
        at.last = at.ms(ns)
        while at.framing is None:
            at.raw_head += data
            stop = at.raw_head.find(b"\r\n\r\n")
            if stop < 0:
                return
            found = response_head(bytes(at.raw_head[:stop]))
            data = bytes(at.raw_head[stop + 4 :])
            at.raw_head.clear()
            if found is None:
                at.end = End(at.last, "truncated", "the answer is no HTTP/1.1")
                return
            if found.status >= 200 or found.status == 101:
                at.head = Head(at.last, found.status, found.http, mask_headers(found.headers))
                at.framing = Framing(found.headers, found.http)
        body = at.framing.feed(data)
        if body:
            at.reads.append((at.last, body))
        if at.framing.done:
            at.end = End(at.last, "complete")
        elif at.framing.broken:
            at.end = End(at.last, "truncated", at.framing.broken)

    def _close(self, ns: int, by_client: bool, reset: bool) -> None:
        at = self.exchanges[-1] if self.exchanges else None
        if at is None or at.end is not None:
            return
        if by_client:
            at.end = End(at.ms(ns), "aborted", f"the client {'reset' if reset else 'closed'} the connection")
        elif reset:
            at.end = End(at.ms(ns), "reset", "RST from the server")
        else:
            whole = at.framing is not None and at.framing.delimited
            at.end = End(at.ms(ns), "complete" if whole else "truncated", "" if whole else "FIN before the end")


@dataclass(frozen=True, slots=True)
class Passed:
    """Why connections were passed by: ``encrypted``, or ``http2``, whose header compression is not undone here."""

    encrypted: bool = False
    http2: bool = False


def captures_of(segments: Iterable[Segment], hop: str) -> tuple[list[Capture], Passed]:
    """The HTTP/1.1 exchanges in order of their start, several as repeats; and what was passed by.

    Where there are streams (by their content type, or a POST), pages, files and sockets are no part of it.
    """
    connections: dict[int, Connection] = {}
    for segment in segments:
        connections.setdefault(segment.stream, Connection()).feed(segment)
    for connection in connections.values():
        connection.close()
    found = [exchange for connection in connections.values() for exchange in connection.exchanges]
    found = [exchange for exchange in found if _streams(exchange)] or found
    captures = [_capture(exchange, hop) for exchange in sorted(found, key=lambda exchange: exchange.start)]
    if len(captures) > 1:
        captures = [replace(capture, repeat=index) for index, capture in enumerate(captures)]
    every = connections.values()
    return captures, Passed(any(c.encrypted for c in every), any(c.http2 for c in every))


def _streams(at: _Exchange) -> bool:
    if at.head is not None and at.head.status == 101:
        return False
    return at.asked.method == "POST" or (at.head is not None and at.head.get("content-type").startswith(_STREAMS))


def _capture(at: _Exchange, hop: str) -> Capture:
    body, times, ends = stamped(at.reads)
    sent: Any = bytes(at.sent)
    try:
        sent = parse_json(sent)
    except ValueError:
        sent = sent.decode("utf-8", "replace") or None
    target = at.asked.target
    url = target if "://" in target else f"http://{header(at.asked.headers, 'host')}{target}"
    return Capture(
        hop=hop,
        kind=kind_of(hop),
        request=Request(at.asked.method, mask_url(url), mask_headers(at.asked.headers), mask_body(sent)),
        sent_at=datetime.fromtimestamp(at.start / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        clock=Clock(source="packet capture", resolution_ms=0.001),
        meta={"source": "pcap"},
        head=at.head,
        body=body,
        times=times,
        ends=ends,
        end=at.end or End(at.last, "open", "interrupted"),
    )
