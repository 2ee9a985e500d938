"""Which paths and names a streamed answer passes, told by how people name them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

STREAM = re.compile(r"/v\d|chat|complet|stream|sse|event|/api|generate|messages|responses|openai|ollama|llm", re.I)
OTHER = re.compile(
    r"static|assets|media|favicon|robots|\\\.\(?|\.(?:js|css|png|jpe?g|svg|ico|woff2?)|health|metrics|status|/docs",
    re.I,
)


def streaming(items: Iterable[T], path: Callable[[T], str]) -> list[T]:
    """The items that are named like an API; where none is, all but those named like assets and pages for machines."""
    places = [item for item in items if not OTHER.search(path(item))]
    named = [item for item in places if STREAM.search(path(item))]
    return named or places
