"""Recordings as they lie on disks: compressed by gzip or zstd, or in UTF-16 as PowerShell writes it. Bounded."""

from __future__ import annotations

import zlib

import zstandard

from harness.errors import CaptureError

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_UNREAD = {b"PK\x03\x04": "a zip archive", b"BZh": "compressed by bzip2", b"\xfd7zXZ\0": "compressed by xz",
           b"7z\xbc\xaf": "a 7-Zip archive"}  # fmt: skip
_LAYERS = 3  # an upload that was packed twice, and once more


def unpacked(data: bytes, name: str, limit: int) -> bytes:
    """The bytes as they were before they were compressed or written in UTF-16; others as they are.

    Raises CaptureError where that gives more than ``limit`` bytes, where it is broken, and for archives.
    """
    for _ in range(_LAYERS):
        if data.startswith(_GZIP):
            data = _gzip(data, name, limit)
        elif data.startswith(_ZSTD):
            data = _zstd(data, name, limit)
        else:
            break
    for start, what in _UNREAD.items():
        if data.startswith(start):
            raise CaptureError(f"the file is {what}", name, "Unpack it, and name the file in it")
    return _utf8(data, name)


def _gzip(data: bytes, name: str, limit: int) -> bytes:
    out, left = bytearray(), data
    try:
        while left.startswith(_GZIP):  # members, one behind the other
            member = zlib.decompressobj(wbits=31)
            out += member.decompress(left, limit + 1 - len(out))
            if len(out) > limit:
                _too_long(name, limit)
            if not member.eof:
                raise CaptureError("the gzip file is cut off", name, "Copy it again")
            left = member.unused_data
    except zlib.error:
        raise CaptureError("the gzip file is damaged", name, "Copy it again") from None
    return bytes(out)


def _zstd(data: bytes, name: str, limit: int) -> bytes:
    out = bytearray()
    try:
        # Frames one behind the other; the reader gives what there is of one that is cut off.
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(data, read_across_frames=True) as reader:
            while len(out) <= limit and (piece := reader.read(min(1 << 20, limit + 1 - len(out)))):
                out += piece
    except zstandard.ZstdError:
        raise CaptureError("the zstd file is damaged", name, "Copy it again") from None
    if len(out) > limit:
        _too_long(name, limit)
    return bytes(out)


def _too_long(name: str, limit: int) -> None:
    what = f"the file unpacks to more than the {limit // 1024**2} MiB that are read at most"
    raise CaptureError(what, name, "Record a shorter stream, or split the file by exchange")


def _utf8(data: bytes, name: str) -> bytes:
    """UTF-16 with its mark, or told by the NUL behind its first character, as UTF-8; anything else as it is."""
    start = data[:4]
    little = start[:2] == b"\xff\xfe" or (
        len(start) == 4 and start[1] == 0 == start[3] and 0 not in (start[0], start[2])
    )
    big = start[:2] == b"\xfe\xff" or (len(start) == 4 and start[0] == 0 == start[2] and 0 not in (start[1], start[3]))
    if not little and not big:
        return data
    try:
        return data.decode("utf-16-le" if little else "utf-16-be").removeprefix("\ufeff").encode("utf-8")
    except UnicodeError:
        raise CaptureError("the file is binary, or UTF-16 that is cut off", name, "Save it as UTF-8") from None
