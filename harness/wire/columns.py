"""Bytes that stand in the same place of many events, read at once: all or none.

Each reader takes the bytes of some values and gives what the JSON parser would give for each of them alone, or None
where one of them is no value of that form. None of them may hold a CR, which in a stream of events ends a line.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

import orjson

Read = Callable[[list[bytes]], Sequence[Any] | None]
_NUMBERS = frozenset({int, float, bool, type(None)})
_SHORT = 1000  # bytes of a value that cannot be nested too deep


def texts(raw: list[bytes]) -> list[str] | None:
    """The insides of JSON strings, to be passed without remark: not empty, no U+FFFD.

    A JSON string does not go over a line's end, so each line gives at least one, and as many as lines is one each.
    """
    found = quiet(raw)
    return None if found is None or "" in found or "\ufffd" in "".join(found) else found


def quiet(raw: list[bytes]) -> list[str] | None:
    """The insides of JSON strings."""
    try:
        found = orjson.loads(b'["' + b'",\n"'.join(raw) + b'"]')
    except orjson.JSONDecodeError:
        return None
    return found if len(found) == len(raw) else None


def integers(raw: list[bytes]) -> array[int] | None:
    """Whole numbers that 64 bits can hold."""
    whole = b",".join(raw)
    if b"\r" in whole or b"e" in whole:  # true and false would be taken for numbers
        return None
    try:
        found = array("q", orjson.loads(b"[" + whole + b"]"))
    except (orjson.JSONDecodeError, TypeError, OverflowError):
        return None
    return found if len(found) == len(raw) else None


def numbers(raw: list[bytes]) -> list[Any] | None:
    """Numbers, truths and nulls."""
    whole = b",".join(raw)
    if b"\r" in whole:
        return None
    try:
        found: list[Any] = orjson.loads(b"[" + whole + b"]")
    except orjson.JSONDecodeError:
        return None
    return found if len(found) == len(raw) and _NUMBERS.issuperset(map(type, found)) else None


def values(raw: list[bytes]) -> list[bytes] | None:
    """Any values, as they came, nested less deeply than the parser's limit; none is empty."""
    loads = orjson.loads
    try:
        return raw if _shallow(raw) and len([True for one in raw if loads(one)]) == len(raw) else None
    except orjson.JSONDecodeError:
        return None


def logprobs(raw: list[bytes]) -> list[int] | None:
    """How many tokens log probabilities name."""
    loads = orjson.loads
    try:  # each value is let go at once, and its memory used for the next one
        found = [len(tokens) if type(tokens := loads(one)["content"]) is list else 0 for one in raw]
    except (orjson.JSONDecodeError, TypeError, KeyError):
        return None
    return found if all(found) and _shallow(raw) else None


def _shallow(raw: list[bytes]) -> bool:
    """No value of these could be nested too deep for the parser where it stands, and none has a CR."""
    if max(map(len, raw)) > _SHORT and any(one.count(b"{") + one.count(b"[") > _SHORT // 2 for one in raw):
        return False
    return b"\r" not in b",".join(raw)


def leading(raw: list[bytes], read: Read) -> Sequence[Any]:
    """What the reader makes of those that stand before the first one that it refuses."""
    found = read(raw) if raw else []
    if found is not None:
        return found
    half = len(raw) // 2
    first = list(leading(raw[:half], read)) if half else []
    return [*first, *leading(raw[half:], read)] if half and len(first) == half else first
