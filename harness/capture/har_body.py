"""The body of a HAR entry, and the reads that its ``_eventSourceMessages`` tell of."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from harness.capture.fields import Object, Place, mapping, number, shown, text

_NL = rb"(?>\r\n|\r|\n)"
_BLOCK = re.compile(
    rb"(?>(?:[^\r\n]++" + _NL + rb")++)" + _NL + rb"++|[^\r\n]++(?:" + _NL + rb"[^\r\n]++)*+" + _NL + rb"?\Z"
)
_DATA = re.compile(rb"(?:^|[\r\n])data(?::|[\r\n]|\Z)")


def content(place: Place, response: Object) -> bytes | None:
    """``response.content.text`` as bytes, base64 undone; None when the HAR was saved without bodies."""
    found = mapping(place, response, "content")
    if found.get("text") is None:
        return b"" if not found.get("size") else None
    body = text(place, found, "text")
    if found.get("encoding") == "base64":
        try:
            return base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            place.fail(f"expected the content to be base64, found {shown(body)}")
    # A HAR is JSON, so half a surrogate pair can stand in it: the browser's own mark of bytes it could not read.
    return body.encode("utf-8", "replace")


def messages(place: Place, entry: Object) -> list[tuple[float, bytes]]:
    """``_eventSourceMessages`` as (time as written, the event as it stands on the wire), in the order of the file."""
    found: Any = entry.get("_eventSourceMessages")
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(message, dict) for message in found):
        place.fail(f'expected "_eventSourceMessages" to be a list of objects, found {shown(found)}')
    return [(number(place, message, "time"), _wire(place, message)) for message in found]


def _wire(place: Place, message: Object) -> bytes:
    lines = []
    name, ident = (text(place, {key: message.get(key) or ""}, key) for key in ("eventName", "eventId"))
    if name and name != "message":
        lines.append(f"event: {name}")
    if ident:
        lines.append(f"id: {ident}")
    lines += [f"data: {line}" for line in re.split(r"\r\n|\r|\n", text(place, message, "data"))]
    return ("\n".join(lines) + "\n\n").encode("utf-8", "replace")


def blocks(body: bytes) -> list[int]:
    """Where each event of the body ends that has data: comments and blank lines go with the event after them."""
    return [found.end() for found in _BLOCK.finditer(body) if _DATA.search(found[0])]


def timed_reads(body: bytes, stamped: list[tuple[float, bytes]]) -> list[tuple[float, bytes]] | None:
    """The body cut at the ends of its events, one read a message; None when it does not hold so many events."""
    ends = blocks(body)
    if len(ends) != len(stamped) or not ends:
        return None
    ends[-1] = len(body)
    return [(t, body[start:end]) for (t, _), start, end in zip(stamped, [0, *ends], ends, strict=False)]
