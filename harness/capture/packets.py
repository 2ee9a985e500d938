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

_HEAD_LIMIT = 1 << 20
_EARLY_LIMIT = 256  # segments that wait for a hole; more, and the recorder missed a packet that the client got


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
    """Bytes of one direction in order: doubles are dropped, what comes early waits for the hole before it."""

    following: int | None = None
    early: dict[int, bytes] = field(default_factory=dict)

    def feed(self, seq: int, data: bytes) -> bytes:
        if not data:
            return b""
        if self.following is None:
            self.following = seq
        self.early[seq] = max(self.early.get(seq, b""), data, key=len)
        if len(self.early) > _EARLY_LIMIT:
            self.following = min(self.early)
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
        self.encrypted = False
        self._ways: dict[str, _Direction] = {}
        self._asked = bytearray()
        self._began = 0

    def feed(self, segment: Segment) -> None:
        data = self._ways.setdefault(segment.source, _Direction()).feed(segment.seq, segment.data)
        if not self.client and data:
            # A recording may begin amid a connection: whoever asks is the client, whoever opened it.
            self.encrypted = self.encrypted or data[:2] == b"\x16\x03"
            self.client = segment.target if data.startswith(b"HTTP/") else segment.source
        sender_asks = segment.source == self.client
        if data:
            self._ask(segment.ns, data) if sender_asks else self._answer(segment.ns, data)
        if segment.rst or segment.fin:
            self._close(segment.ns, sender_asks, segment.rst)

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


def captures_of(segments: Iterable[Segment], hop: str) -> tuple[list[Capture], bool]:
    """The HTTP/1.1 exchanges in order of their start, several as repeats; and whether any connection was encrypted."""
    connections: dict[int, Connection] = {}
    for segment in segments:
        connections.setdefault(segment.stream, Connection()).feed(segment)
    found = [exchange for connection in connections.values() for exchange in connection.exchanges]
    captures = [_capture(exchange, hop) for exchange in sorted(found, key=lambda exchange: exchange.start)]
    if len(captures) > 1:
        captures = [replace(capture, repeat=index) for index, capture in enumerate(captures)]
    return captures, any(connection.encrypted for connection in connections.values())


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
