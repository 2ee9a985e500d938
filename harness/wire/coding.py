"""Content coding of a body (gzip, deflate, br, zstd), undone read by read and within bounds; notices a false header."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from typing import Any

from harness.capture.model import Capture
from harness.phrase import phrase
from harness.wire.coders import BadCoding, Brotli, Coder, Deflate, Zstandard
from harness.wire.stream import WireFault

FLOOR = 32 * 1024 * 1024  # decoded bytes that are never called a bomb
RATIO = 200  # text that repeats itself packs 20 to 100 to one; a bomb up to 1,000 (deflate) or 30,000 (zstd)
CAP = 512 * 1024 * 1024  # decoded bytes at most, whatever the ratio
_NONE = frozenset({"", "identity", "none"})
_NAMES = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate", "br": "br", "zstd": "zstd"}
_TEXT = re.compile(rb"\s*(?:data|event|id|retry|)\s*:|\s*[{\[<]\s*[\"!a-zA-Z\]}]")
_LOOK = 8  # bytes that tell which coding it is


class ContentDecoder:
    """Coded bytes in, decoded bytes out. ``name``: the coding that the bytes have (which ``header`` may deny).

    ``faults`` have offsets in the decoded body: ``coding``, ``coding-header``, ``bomb``, ``gzip-members``.
    After a fault that ends decoding nothing more comes out. ``already``: the bytes have been decoded by somebody else.
    """

    def __init__(self, header: str = "", already: bool = False) -> None:
        names = [n for part in header.lower().split(",") if (n := part.strip()) not in _NONE]
        self.header = ", ".join(names)
        self.name = "identity" if already else ""  # "": not known yet
        self.faults: list[WireFault] = []
        self.taken = self.given = 0  # bytes in, bytes out
        self.first_member: int | None = None  # decoded length of the first gzip member, when another follows
        self._names = names
        self._start = b""
        self._coders: list[Coder] = []
        self._over = False

    def feed(self, data: bytes) -> bytes:
        """What these bytes decode to; "" while a coding holds it back."""
        self.taken += len(data)
        if not self.name:
            data = self._start + data
            if self.header and len(data) < _LOOK:
                self._start = data
                return b""
            if not self.header and data[:1] in (b"\x1f", b"\x28") and len(data) < 4:
                self._start = data
                return b""
            if not data:
                return b""
            self._choose(data)
            self._start = b""
        return self._decode(data)

    def close(self, complete: bool) -> bytes:
        """No more bytes come; ``complete`` when the framing said that this was all."""
        out = b""
        if not self.name and self._start:
            self._choose(self._start)
            out = self._decode(self._start)
        if complete and not self._over and not all(coder.whole for coder in self._coders):
            self._fault("coding", phrase("the body ends before its {coding} does", coding=self.name))
        return out

    @property
    def idle(self) -> bool:
        """There is no coding: bytes may go past."""
        return self.name == "identity"

    def facts(self) -> dict[str, int]:
        """``coded_bytes`` where there was a coding, ``gzip_first_member`` (decoded bytes) where more than one came."""
        facts = {"coded_bytes": self.taken} if self.name not in ("", "identity") else {}
        if self.first_member is not None:
            facts["gzip_first_member"] = self.first_member
        return facts

    def _choose(self, start: bytes) -> None:
        found = _told(start, self._names)
        self.name = ", ".join(found) or "identity"
        if self.name != ", ".join(_NAMES.get(n, n) for n in self._names) and (self.header or found):
            says = (
                phrase("the header says {header}", header=self.header) if self.header else phrase("no header says so")
            )
            self._fault("coding-header", phrase("the bytes are {coding}, {says}", coding=self.name, says=says))
        self._coders = [_coder(name, start) for name in reversed(found)]

    def _decode(self, data: bytes) -> bytes:
        if not self._coders:
            self.given += len(data)
            return data
        if self._over:
            return b""
        out: list[bytes] = []
        try:
            self._through(0, data, out)
        except BadCoding as error:
            self._over = True
            self._fault("coding", error.args[0])
        return b"".join(out)

    def _through(self, layer: int, data: bytes, out: list[bytes]) -> None:
        if layer == len(self._coders):
            self.given += len(data)
            out.append(data)
            if self.given > CAP or (self.given > FLOOR and self.given > RATIO * self.taken):
                self._over = True
                sizes = {"taken": self.taken, "given": self.given}
                self._fault("bomb", phrase("{taken} bytes have become {given}; not decoded further", **sizes))
            return
        coder = self._coders[layer]
        members = coder.members
        for part in coder.feed(data):
            if coder.members != members:
                members = coder.members
                if members == 1 and self.name == "gzip":
                    self.first_member = self.given
                    self._fault("gzip-members", "several gzip members: browsers show the first alone")
            self._through(layer + 1, part, out)
            if self._over:
                return

    def _fault(self, code: str, detail: str) -> None:
        self.faults.append(WireFault(code, None, self.given, detail))


@dataclass(slots=True)
class Decoded:
    """``body`` after decoding; read ``i`` made it ``ends[i]`` long."""

    name: str
    body: bytes
    ends: array[int]
    faults: list[WireFault] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def decoded(capture: Capture) -> Decoded:
    """A capture's body with its content coding undone. Facts as :meth:`ContentDecoder.facts`."""
    body = capture.body or b""
    header = "" if capture.content_decoded or capture.head is None else capture.head.get("content-encoding")
    decoder = ContentDecoder(header)
    if capture.content_decoded or (not decoder.header and body[:1] not in (b"\x1f", b"\x28")):
        return Decoded("identity", body, capture.ends)
    parts: list[bytes] = []
    ends: array[int] = array("Q")
    size = 0
    for _, data in capture.reads():
        if out := decoder.feed(data):
            parts.append(out)
            size += len(out)
        ends.append(size)
    if out := decoder.close(capture.end is not None and capture.end.kind == "complete"):
        parts.append(out)
        if ends:
            ends[-1] = size + len(out)
    return Decoded(decoder.name or "identity", b"".join(parts), ends, decoder.faults, decoder.facts())


def _told(start: bytes, names: list[str]) -> list[str]:
    """The codings that these first bytes can have, outermost last; the header's where they do not contradict it."""
    if start.startswith(b"\x1f\x8b\x08"):
        own = "gzip"
    elif start.startswith(b"\x28\xb5\x2f\xfd"):
        own = "zstd"
    elif _TEXT.match(start):
        own = ""
    else:
        known = [_NAMES[n] for n in names if n in _NAMES]
        return known if known and known[-1] not in ("gzip", "zstd") else []
    if names and _NAMES.get(names[-1]) == own and own:
        return [_NAMES[n] for n in names if n in _NAMES]
    return [own] if own else []


def _coder(name: str, start: bytes) -> Coder:
    if name == "gzip":
        return Deflate(31)
    if name == "br":
        return Brotli()
    if name == "zstd":
        return Zstandard()
    zlib_head = len(start) > 1 and start[0] & 15 == 8 and (start[0] << 8 | start[1]) % 31 == 0
    return Deflate(15 if zlib_head else -15)
