"""Pack stamps and bodies for the database, and unpack them. Pure."""

from __future__ import annotations

import sys
import zlib
from array import array
from typing import Any


def pack_stamps(times: array[float], ends: array[int]) -> bytes:
    """(ms, body offset) pairs as bytes: all times as little-endian doubles, then all offsets as uint64, deflated."""
    return zlib.compress(_little(array("d", times)).tobytes() + _little(array("Q", ends)).tobytes())


def unpack_stamps(packed: bytes) -> tuple[array[float], array[int]]:
    """What :func:`pack_stamps` packed; empty columns for empty bytes."""
    raw = zlib.decompress(packed) if packed else b""
    half = len(raw) // 2
    times, ends = array("d"), array("Q")
    times.frombytes(raw[:half])
    ends.frombytes(raw[half:])
    return _little(times), _little(ends)


def pack_body(body: bytes | None) -> bytes | None:
    return None if body is None else zlib.compress(body)


def unpack_body(packed: bytes | None) -> bytes | None:
    return None if packed is None else zlib.decompress(packed)


def _little(column: array[Any]) -> array[Any]:
    """The column in little-endian order, in place; it is its own inverse."""
    if sys.byteorder == "big":
        column.byteswap()
    return column
