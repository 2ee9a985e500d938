"""Changes of a case that leave its fault where and what it was: other text, times, sizes, dialect, place on the route.

A rule that fits a file instead of a fault breaks under these.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from harness.capture.model import Capture
from harness.wire.decode import decode

Ladder = tuple[Capture, ...]


def retimed(factor: float) -> Callable[[Ladder], Ladder]:
    """Every stamp times ``factor``."""

    def change(ladder: Ladder) -> Ladder:
        return tuple(
            replace(
                c,
                times=array("d", (t * factor for t in c.times)),
                head=replace(c.head, t=c.head.t * factor) if c.head else None,
                end=replace(c.end, t=c.end.t * factor) if c.end else None,
            )
            for c in ladder
        )

    return change


def renamed(ladder: Ladder) -> Ladder:
    """Other hop names; the kinds stay."""
    return tuple(replace(c, hop=f"{c.hop}-of-blue") for c in ladder)


def relayed(ladder: Ladder) -> Ladder:
    """One more hop in front, which hands everything on faithfully, 1 to 3 ms later."""
    return (*ladder, faithful(ladder[-1], "tail", 1))


def thickened(ladder: Ladder) -> Ladder:
    """One more faithful hop right in front of the innermost one."""
    return (ladder[0], faithful(ladder[0], "relay", 2), *ladder[1:])


def faithful(capture: Capture, hop: str, seed: int) -> Capture:
    """A copy as another hop would hand it on: same bytes, small jitter, never backwards."""
    rng = random.Random(seed)
    times, last = array("d"), 0.0
    for t in capture.times:
        last = max(last, t + rng.uniform(1.0, 3.0))
        times.append(last)
    end = capture.end
    return replace(
        capture,
        hop=hop,
        kind="gateway",
        times=times,
        end=replace(end, t=max(end.t, last) + 1.0) if end else None,
        head=replace(capture.head, t=min([capture.head.t + 1.0, *times[:1]])) if capture.head else None,
    )


def rechunked(ladder: Ladder) -> Ladder:
    """Other reads: each one split at a chance byte, both parts at its time."""
    rng = random.Random(5)
    out = []
    for c in ladder:
        times, ends, start = array("d"), array("Q"), 0
        for t, stop in zip(c.times, c.ends, strict=True):
            if stop - start > 2 and c.body is not None:
                times.append(t)
                ends.append(rng.randrange(start + 1, stop))
            times.append(t)
            ends.append(stop)
            start = stop
        out.append(replace(c, times=times, ends=ends))
    return tuple(out)


def joined(ladder: Ladder) -> Ladder:
    """Reads that came within a millisecond as one."""
    out = []
    for c in ladder:
        times, ends = array("d"), array("Q")
        for t, stop in zip(c.times, c.ends, strict=True):
            if times and t - times[-1] < 1.0:
                ends[-1] = stop
            else:
                times.append(t)
                ends.append(stop)
        out.append(replace(c, times=times, ends=ends))
    return tuple(out)


def events_changed(capture: Capture, change: Callable[[bytes], bytes]) -> Capture:
    """Every event's bytes changed, the reads cut where they were cut before."""
    stream = decode(capture)
    if not len(stream) or stream.coding != "identity" or capture.body is None:
        return capture
    old, new, marks, at = [0], [0], [], 0
    parts = []
    for i in range(len(stream)):
        if stream.starts[i] > at:
            parts.append(stream.body[at : stream.starts[i]])
            old.append(stream.starts[i])
            new.append(new[-1] + len(parts[-1]))
        parts.append(change(stream.raw(i)))
        old.append(stream.ends[i])
        new.append(new[-1] + len(parts[-1]))
        at = stream.ends[i]
    parts.append(stream.body[at:])
    old.append(len(stream.body))
    new.append(new[-1] + len(parts[-1]))
    for end in capture.ends:
        i = bisect_left(old, end)
        inside = end - old[i - 1] if i else 0
        width = new[i] - new[i - 1] if i else 0
        marks.append(new[i] if old[i] == end else new[i - 1] + min(inside, max(width - 1, 0)))
    ends = array("Q")
    for mark in marks:
        ends.append(max(mark, ends[-1] if ends else 0))
    body = b"".join(parts)
    head = capture.head
    if head and head.get("content-length") == str(len(capture.body)):
        size = ("content-length", str(len(body)))
        head = replace(head, headers=tuple(size if k == "content-length" else (k, v) for k, v in head.headers))
    return replace(capture, body=body, ends=ends, head=head)


def _each_event(change: Callable[[int, bytes], bytes]) -> Callable[[Ladder], Ladder]:
    """Every hop's SSE events changed by number; other framings and compressed bodies stay."""

    def made(ladder: Ladder) -> Ladder:
        out = []
        for c in ladder:
            body = c.body or b""
            plain = not (c.head and c.head.get("content-encoding")) and re.search(rb"(?m)^data:", body[:2000])
            count = itertools.count()
            out.append(events_changed(c, lambda raw, n=count: change(next(n), raw)) if plain else c)  # type: ignore[misc]
        return tuple(out)

    return made


def numbered(ladder: Ladder) -> Ladder:
    """SSE ids from 0 on, where the stream has none of its own."""
    own = any(re.search(rb"(?m)^id:", c.body or b"") for c in ladder)
    return ladder if own else _each_event(lambda n, raw: b"id: %d\n" % n + raw)(ladder)


with_crlf = _each_event(lambda n, raw: raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
unspaced = _each_event(lambda n, raw: re.sub(rb"(?m)^data: ", b"data:", raw))
pinged = _each_event(lambda n, raw: b": ping\n\n" + raw if n % 4 == 1 else raw)
marked = _each_event(lambda n, raw: b"\xef\xbb\xbf" + raw if n == 0 else raw)
LEGAL: dict[str, Callable[[Ladder], Ladder]] = {
    "crlf": with_crlf, "unspaced": unspaced, "pinged": pinged, "marked": marked, "numbered": numbered,
}  # fmt: skip
"""Oddities that the standard allows, told by every hop alike: CRLF, no blank after the colon, comments, a BOM, ids."""


def reworded(ladder: Ladder) -> Ladder:
    """Other words of other lengths in every channel that is text; JSON of tool calls and tags stay."""
    if any(b"\\u" in (c.body or b"") or (c.head and c.head.get("content-encoding")) for c in ladder):
        return ladder
    return tuple(events_changed(c, lambda raw: _mapped(raw, _words)) for c in ladder)


def reserialised(ladder: Ladder) -> Ladder:
    """The same JSON values in another spelling: blanks, key order, escapes."""
    return tuple(events_changed(c, lambda raw: _mapped(raw, str, spaced=True)) for c in ladder)


def _words(text: str) -> str:
    if "<" in text or ">" in text or text.strip(" ,.").isdigit():
        return text
    out = []
    for char in text:
        if char.isascii() and char.islower():
            char = chr(ord("a") + (7 * (ord(char) - ord("a")) + 3) % 26)
            char = char + char if char in "aeiou" else char
        out.append(char)
    return "".join(out)


def _mapped(raw: bytes, change: Callable[[str], str], spaced: bool = False) -> bytes:
    prefix, mark, rest = raw.partition(b"data: ") if b"data: " in raw else (b"", b"", raw)
    line = rest.rstrip(b"\r\n")
    if b"\n" in line or b"\\u" in line or b"NaN" in line:
        return raw
    try:
        event = json.loads(line)
    except ValueError:
        return raw
    if not isinstance(event, dict):
        return raw
    for holder in _holders(event):
        for name in ("content", "reasoning", "reasoning_content"):
            if isinstance(holder.get(name), str):
                holder[name] = change(holder[name])
    if spaced:
        event = dict(sorted(event.items()))
    told = json.dumps(event, ensure_ascii=False, separators=(", ", ": ") if spaced else (",", ":")).encode()
    return prefix + mark + told + rest[len(line) :]


def _holders(event: dict[str, Any]) -> Sequence[dict[str, Any]]:
    found = [event["message"]] if isinstance(event.get("message"), dict) else []
    choices = event.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict) and isinstance(choice.get("delta"), dict):
            found.append(choice["delta"])
    return found
