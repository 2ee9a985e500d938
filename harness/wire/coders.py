"""One incremental decompressor a content coding, each yielding bounded slices of output.

A coder has ``feed(data) -> Iterator[bytes]`` (slices of at most about ``STEP``, zstd's up to 8 MiB), which raises
:class:`BadCoding` on bytes that the coding does not allow; ``whole``, True when the bytes so far end where the coding
may end; and ``members``, how many complete members (gzip) or frames (zstd) have been followed by another.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli  # type: ignore[import-untyped]
import zstandard

from harness.phrase import phrase

STEP = 1 << 18
_INPUT = 1 << 16
_ZSTD_WINDOW = 1 << 23  # RFC 9659: 8 MiB is what a content coding may ask for
_ZSTD_SLICE = 256  # input bytes a step: one block of 128 KiB may take 4 bytes


class BadCoding(Exception):
    """The bytes break the rules of their coding."""


class Coder(Protocol):
    whole: bool
    members: int

    def feed(self, data: bytes) -> Iterator[bytes]: ...


class Deflate:
    """gzip (``wbits`` 31, several members allowed), zlib (15) or raw deflate (-15)."""

    def __init__(self, wbits: int) -> None:
        self.whole = False
        self.members = 0
        self._wbits = wbits
        self._inflate = zlib.decompressobj(wbits)
        self._between = b""  # after a member: bytes that do not tell yet what follows

    def feed(self, data: bytes) -> Iterator[bytes]:
        for at in range(0, len(data), _INPUT):
            yield from self._feed(data[at : at + _INPUT])

    def _feed(self, data: bytes) -> Iterator[bytes]:
        while data or not self.whole:
            if self.whole and not (data := self._next_member(data)):
                return
            before = self._inflate.copy()
            try:
                out = self._inflate.decompress(data, STEP)
            except zlib.error as error:
                yield _rescued(before, data)
                raise BadCoding(str(error)) from error
            if out:
                yield out
            if self._inflate.eof:
                self.whole, data = True, self._inflate.unused_data
            else:
                data = self._inflate.unconsumed_tail
                if not data and len(out) < STEP:
                    return

    def _next_member(self, data: bytes) -> bytes:
        data = self._between + data
        self._between = b""
        if self._wbits == 31:
            data = data.lstrip(b"\0")  # padding
        if not data:
            return b""
        if self._wbits != 31 or not b"\x1f\x8b\x08".startswith(data[:3]):
            raise BadCoding(phrase("{count} bytes follow the end of the compressed data", count=len(data)))
        if len(data) < 3:
            self._between = data
            return b""
        self._inflate = zlib.decompressobj(self._wbits)
        self.whole = False
        self.members += 1
        return data


class Brotli:
    """br, RFC 7932."""

    def __init__(self) -> None:
        self.whole = False
        self.members = 0
        self._brotli = brotli.Decompressor()

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            while True:
                out = self._brotli.process(data, output_buffer_limit=STEP)
                data = b""
                if out:
                    yield out
                self.whole = self._brotli.is_finished()
                if not out or self._brotli.can_accept_more_data():
                    return
        except brotli.error as error:
            raise BadCoding(str(error)) from error


class Zstandard:
    """zstd, RFC 8878; frames may follow one another."""

    def __init__(self) -> None:
        self.whole = False
        self.members = 0
        self._zstd = _zstd()

    def feed(self, data: bytes) -> Iterator[bytes]:
        at = 0
        while at < len(data):
            if self.whole:
                self._zstd, self.whole, self.members = _zstd(), False, self.members + 1
            part = data[at : at + _ZSTD_SLICE]
            try:
                out = self._zstd.decompress(part)
            except zstandard.ZstdError as error:
                raise BadCoding(str(error)) from error
            at += len(part)
            if self._zstd.eof:
                self.whole = True
                at -= len(self._zstd.unused_data)
            if out:
                yield out


def _zstd() -> zstandard.ZstdDecompressionObj:
    return zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()


def _rescued(inflate: zlib._Decompress, data: bytes) -> bytes:
    """What can be had of ``data`` before the byte that breaks, so that reads do not change what is seen."""
    out = []
    for at in range(len(data)):
        try:
            out.append(inflate.decompress(data[at : at + 1], STEP))
        except zlib.error:
            break
    return b"".join(out)
