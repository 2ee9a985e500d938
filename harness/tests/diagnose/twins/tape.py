"""A capture as rows that can be edited: one row an event (or what stands between events), and back to a capture."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from harness.capture.model import Capture, End, Head
from harness.wire.decode import decode
from harness.wire.stream import Kind

NAMES = {
    Kind.ROLE: "role",
    Kind.TEXT: "text",
    Kind.REASONING: "reason",
    Kind.TOOL: "tool",
    Kind.FINISH: "finish",
    Kind.USAGE: "usage",
    Kind.ERROR: "error",
    Kind.TERMINATOR: "done",
}
SPOKEN = ("text", "reason", "tool")


@dataclass(frozen=True, slots=True)
class Row:
    """``t`` ms; ``data`` one event with its blank line, or what stood between two; ``kind`` of :data:`NAMES`, or
    ``mark`` (comments, retry), ``other``, ``tail``; ``text`` what it said; ``key`` the channel; ``cuts``: where reads
    ended inside the data, as (byte, ms before ``t``)."""

    t: float
    data: bytes
    kind: str = "other"
    text: str = ""
    key: tuple[int, str] = (0, "content")
    cuts: tuple[tuple[int, float], ...] = ()

    def at(self, t: float) -> Row:
        return replace(self, t=t)

    @property
    def said(self) -> bool:
        return self.kind in SPOKEN


@dataclass(frozen=True, slots=True)
class Tape:
    """``like``: the capture whose hop, request, headers and clock this one bears. Rows of one time are one read."""

    like: Capture
    rows: tuple[Row, ...]
    end: End
    coding: str = "identity"  # identity, gzip (flushed with each read), held (gzip, never flushed), members

    def with_rows(self, rows: Iterable[Row]) -> Tape:
        return replace(self, rows=tuple(rows))

    def ended(self, kind: str, t: float, detail: str = "") -> Tape:
        return replace(self, end=End(t, kind, detail))

    def headed(self, *headers: tuple[str, str], drop: tuple[str, ...] = (), status: int = 200) -> Tape:
        """With these headers, and without those that they replace or that ``drop`` names."""
        old = self.like.head or Head(5.0, 200, "1.1", ())
        gone = {name for name, _ in headers} | set(drop)
        kept = tuple(row for row in old.headers if row[0] not in gone) + headers
        return replace(self, like=replace(self.like, head=replace(old, status=status, headers=kept)))

    @property
    def hop(self) -> str:
        return self.like.hop

    def spoken(self) -> list[int]:
        """Indices of the rows that carry content."""
        return [i for i, row in enumerate(self.rows) if row.said]

    def last_ms(self) -> float:
        return self.rows[-1].t if self.rows else (self.like.head.t if self.like.head else 0.0)


def taped(capture: Capture) -> Tape:
    """Every byte of the (decoded) body in a row, each at the time of the read that brought its last byte."""
    stream = decode(capture)
    texts: dict[int, tuple[str, tuple[int, str]]] = {}
    for event, key, text in stream.deltas():
        if text or event not in texts:
            texts[event] = (texts.get(event, ("", key))[0] + text, (key.choice, key.part))
    rows: list[Row] = []
    at = 0

    def between(stop: int, t: float) -> None:
        gap = stream.body[at:stop]
        if rows and gap[:1] == b"\n" and rows[-1].data[-1:] == b"\r":  # the last LF of a CRLF event
            rows[-1] = replace(rows[-1], data=rows[-1].data + b"\n")
            gap = gap[1:]
        if gap:
            when = next((ms for ms, start in stream.comments if at <= start < stop), t)
            rows.append(Row(when, gap, "mark"))

    for event in range(len(stream)):
        between(stream.starts[event], stream.times[event])
        text, key = texts.get(event, ("", (0, "content")))
        kind = NAMES.get(Kind(stream.kinds[event]), "other")
        t = stream.times[event]
        inside = [
            (stop - stream.starts[event], t - when)
            for stop, when in zip(stream.read_ends, capture.times, strict=True)
            if stream.starts[event] < stop < stream.ends[event] and when < t
        ]
        rows.append(Row(t, stream.raw(event), kind, text, key, tuple(inside)))
        at = stream.ends[event]
    between(len(stream.body), capture.times[-1] if len(capture.times) else 0.0)
    if at < len(stream.body) and rows[-1].kind == "mark":
        rows[-1] = replace(rows[-1], kind="tail", t=capture.times[-1])
    return Tape(capture, tuple(rows), capture.end or End(0.0, "open"), stream.coding)


def reads(tape: Tape) -> list[tuple[float, bytes]]:
    """(ms, bytes) of each read: pieces of one time together, time never backwards."""
    out: list[tuple[float, bytes]] = []
    for row in tape.rows:
        start = 0
        for cut, before in (*row.cuts, (len(row.data), 0.0)):
            t, piece = max(row.t - before, out[-1][0] if out else 0.0), row.data[start:cut]
            start = cut
            if out and out[-1][0] == t:
                out[-1] = (t, out[-1][1] + piece)
            elif piece:
                out.append((t, piece))
    return out


@dataclass
class _Coder:
    """A body in its content coding, read by read."""

    name: str
    packer: zlib._Compress = field(default_factory=lambda: zlib.compressobj(6, zlib.DEFLATED, 31))

    def put(self, data: bytes) -> bytes:
        if self.name == "members":
            whole = zlib.compressobj(6, zlib.DEFLATED, 31)
            return whole.compress(data) + whole.flush()
        if self.name == "gzip":
            return self.packer.compress(data) + self.packer.flush(zlib.Z_SYNC_FLUSH)
        return self.packer.compress(data)

    def close(self) -> bytes:
        return b"" if self.name == "members" else self.packer.flush()


def played(tape: Tape) -> Capture:
    """The capture that the tape tells; a Content-Length that told the old body's size tells the new one's."""
    parts = reads(tape)
    if tape.coding != "identity" and parts:
        coder = _Coder(tape.coding)
        parts = [(t, coder.put(data)) for t, data in parts]
        if tape.end.kind == "complete":
            parts.append((parts[-1][0], coder.close()))
        elif not parts[0][1]:
            parts = []
    times, ends, body = array("d"), array("Q"), b""
    for t, data in parts:
        if data:
            body += data
            times.append(t)
            ends.append(len(body))
    old, head = tape.like, tape.like.head
    if head is not None:
        was = str(len(old.body or b""))
        new = tuple((k, str(len(body)) if k == "content-length" and v == was else v) for k, v in head.headers)
        head = replace(head, headers=new, t=min([head.t, *times[:1]]))
    return replace(old, head=head, body=body, times=times, ends=ends, end=tape.end, read_extra={})
