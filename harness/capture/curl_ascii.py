"""Put back the line feeds that ``curl --trace-ascii`` shows as dots. What it cannot know stays a dot.

That dump writes ``.`` for every byte that is no printable ASCII, so text in other scripts is lost; the line
structure of an event stream can be told from what stands around it. Lengths never change.
"""

from __future__ import annotations

import re

NOTE = "curl --trace-ascii shows only printable ASCII: other characters became dots. Use --trace for a faithful record"

_FIELD = rb"(?:(?:data|event|id|retry):|: )"
_RULES = [
    # JSON or [DONE], then the next field or the end.
    re.compile(rb"(?<=[}\]])(\.+)(?=" + _FIELD + rb"|\Z)"),
    # NDJSON: one object after another.
    re.compile(rb"(?<=\})(\.)(?=\{\")"),
    # A named event, an id, a retry, each on its line before the next field.
    re.compile(rb"(?<![^\n])(?:event|id|retry):[^\n]*?(\.)(?=" + _FIELD + rb")"),
    # Plain text in a data field: a blank line before the next one or at the end.
    re.compile(rb"(\.\.)(?=(?:data|event|id|retry): |\Z)"),
]
_COMMENTS = re.compile(rb"(?<![^\n])(?::[^\n.]*\.{1,2})+(?=" + _FIELD + rb"|\Z)")


_SHOWN = bytes(byte if 0x20 <= byte < 0x7F or byte in b"\r\n" else 0x2E for byte in range(256))


def as_shown(body: bytes) -> bytes:
    """A faithful body as a lossy one would have it, so that the two can be compared; as long as before."""
    return body.translate(_SHOWN)


def restore_lines(body: bytes) -> bytes:
    """The body with the line feeds that can be told from their neighbours; as long as before."""
    for rule in _RULES:
        body = rule.sub(_feeds, body)
    return _COMMENTS.sub(lambda found: found[0].replace(b".", b"\n"), body)


def _feeds(found: re.Match[bytes]) -> bytes:
    start, stop = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:start] + b"\n" * (stop - start) + found[0][stop:]
