"""Where in the bytes of a JSON text each of its values stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import orjson

Path = tuple[str | int | None, ...]
"""Keys and places in lists, from the outside in."""

_TOKEN = re.compile(rb'\s*(?:("(?:[^"\\]|\\.)*")|([{}\[\]:,])|([^\s{}\[\]:,"]+))', re.S)
_MOST = 200  # objects and lists; what has more is not looked into


class Leaf(NamedTuple):
    """A value at ``data[start:stop]``; of a text, what stands between its quotes. ``form``: text, number, json."""

    form: str
    start: int
    stop: int


def leaves(data: bytes, whole: Callable[[Path], bool]) -> dict[Path, Leaf]:
    """The texts and numbers in ``data``, which is valid JSON, and the objects and lists of which ``whole`` says that
    they are taken as one. Of a doubled key the last value is told, as parsers do."""
    found: dict[Path, Leaf] = {}
    if data.count(b"{") + data.count(b"[") > _MOST:
        return found
    around: list[tuple[int, int]] = []  # of each open object or list: where it starts, and how many leaves were before
    path: list[str | int | None] = []
    key = False  # a key comes next
    for token in _TOKEN.finditer(data):
        text, mark, word = token.groups()
        stop = token.end()
        if text and key:
            path[-1], key = orjson.loads(text), False
        elif text:
            found[tuple(path)] = Leaf("text", stop - len(text) + 1, stop - 1)
        elif word:
            if word[0] in b"-0123456789":
                found[tuple(path)] = Leaf("number", stop - len(word), stop)
        elif mark in b"{[":
            around.append((stop - 1, len(found)))
            path.append(0 if mark == b"[" else None)
            key = mark == b"{"
        elif mark in b"}]":
            start, before = around.pop()
            path.pop()
            key = False
            if whole(tuple(path)):
                found = dict(list(found.items())[:before])
                found[tuple(path)] = Leaf("json", start, stop)
        elif mark == b",":
            last = path[-1]
            path[-1], key = (last + 1, False) if type(last) is int else (last, True)
    return found
