"""Events that differ in several places (a text, token counts, a time), decoded without parsing the same JSON again.

A :class:`Form` is learned from two events that were read one after the other: what is equal in both is taken to be
fixed, what differs (JSON strings and whole numbers, no keys) may vary. What each varying place is for is found by
probing: the event is decoded again with a probe in that place alone, and the probe must come out in one place, or
nowhere, and change nothing else. An event that matches the form then decodes by the parts that were proven; every
other one goes the long way round.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from harness.wire.hole import Hole
from harness.wire.sink import Sink
from harness.wire.stream import CONTENT, Stream, Usage

Replay = Callable[[bytes], Stream]
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|(?<![\w.+-])-?\d+(?![\d.eE])')
_KEY = re.compile(rb"[ \t]*:")
_WORD, _NUMBER = b'"=probe="', b"987654321"
_TEXT = rb'"([^"\\\x00-\x1f]+)"'
_IGNORED_WORD, _IGNORED_NUMBER, _COUNT = rb'"[ !#-\[\]-~]+"', rb"[1-9]\d{0,14}", rb"(0|[1-9]\d{0,14})"
_CREATED = rb"([1-9]\d{0,14})"
_MOST = 8  # varying places


class Place(NamedTuple):
    """A token of an event that may vary; ``role``: text, created, ignored, or the name of a count of usage."""

    start: int
    end: int
    role: str


class Form:
    """A pattern of whole events and what its groups are for. ``identity``: the sink's when it was learned."""

    def __init__(self, block: bytes, places: Sequence[Place], found: Stream, channel: int, sink: Sink) -> None:
        parts, at = [], 0
        self._roles: list[str] = []
        for place in places:
            word = block[place.start : place.start + 1] == b'"'
            inner = {"text": _TEXT, "created": _CREATED, "ignored": _IGNORED_WORD if word else _IGNORED_NUMBER}
            parts += [re.escape(block[at : place.start]), inner.get(place.role, _COUNT)]
            at = place.end
            if place.role != "ignored":
                self._roles.append(place.role)
        self.match = re.compile(b"".join(parts) + re.escape(block[at:])).match
        self.counts = any(role not in ("text", "created") for role in self._roles)
        self.name = found.names.get(0, "")
        self.identity: object = sink.current
        self.used = 0
        self._late = block.endswith(b"\r\n")  # the LF of a CRLF is not the byte that dispatches
        self._kind, self._channel = found.kinds[0], channel
        self._text = self._roles.index("text")
        self._created = self._roles.index("created") if "created" in self._roles else -1
        self._usage = found.usages[0] if found.usages else None
        self._fields = [(i, Usage._fields.index(r)) for i, r in enumerate(self._roles) if r in Usage._fields]
        self._came: tuple[Any, Any, Any, Any] = sink.came or ("", None, "", "")

    def one(self, buffer: bytes, at: int, base: int, sink: Sink, end: int = 0) -> re.Match[bytes] | None:
        """Decode the event at ``at`` if it matches; ``base`` is the offset of the buffer in the body.

        ``end``: where the event ends in the body, if it is all that the buffer holds.
        """
        match = self.match(buffer, at)
        if match is None or self.identity is not sink.current or (end and match.end() != len(buffer)):
            return None
        groups = match.groups()
        try:
            text = groups[self._text].decode()
        except UnicodeDecodeError:
            return None
        if "\ufffd" in text:
            return None
        if self._created >= 0 and int(groups[self._created]) != self._came[1]:
            self._came = (self._came[0], int(groups[self._created]), self._came[2], self._came[3])
            sink.identity(*self._came)
            self.identity = sink.current
        sink.text(self._channel, text)
        if self._usage is not None:
            counts: list[Any] = list(self._usage)
            counts[0] = sink.event
            for group, place in self._fields:
                counts[place] = int(groups[group])
            sink.stream.usages.append(Usage._make(counts))
        if self.name:
            sink.stream.names[sink.event] = self.name
        sink.row(self._kind, base + at, end or base + match.end() - self._late)
        self.used += 1
        return match

    def aim(self, buffer: bytes, at: int, match: re.Match[bytes], stretch: int, sink: Sink) -> Hole:
        """The hole that the event at ``at`` leaves around its text: what was proven of the form holds for it."""
        start, end = match.span(self._text + 1)
        prefix, suffix = buffer[at:start], buffer[end : match.end()]
        return Hole(prefix, suffix, self._kind, self._channel, self.name, sink.current, stretch)


def learn(before: bytes, block: bytes, sink: Sink, replay: Replay) -> Form | None:
    """A form from two events that follow one another, the second just read into the sink; None when there is none."""
    found = replay(block)
    if not _simple(found, sink.stream):
        return None
    key = found.channels[0].key
    channel = sink.index.get((key.choice, key.part))
    spans = _varying(before, block, found.channels[0].text)
    if channel is None or spans is None:
        return None
    plain, places = _facts(found), []
    for start, end in spans:
        probe = _WORD if block[start : start + 1] == b'"' else _NUMBER
        role = _role(plain, _facts(replay(block[:start] + probe + block[end:])))
        if role is None:
            return None
        places.append(Place(start, end, role))
    roles = [place.role for place in places if place.role != "ignored"]
    if roles.count("text") != 1 or len(roles) != len(set(roles)):
        return None
    return Form(block, places, found, channel, sink)


def _simple(found: Stream, stream: Stream) -> bool:
    """One piece of content, and no more than a count and an identity beside it."""
    return (
        len(found.kinds) == 1
        and found.kinds[0] in CONTENT
        and len(found.pieces) == 1
        and len(found.channels) == 1
        and not (found.channels[0].name or found.channels[0].id)
        and len(found.usages) <= 1
        and not (found.faults or found.errors or found.finishes or found.terminators)
        and all(stream.facts.get(name) == value for name, value in found.facts.items())
    )


def _varying(before: bytes, block: bytes, text: str) -> list[tuple[int, int]] | None:
    """The tokens that differ between two events, or hold the text; None when the rest is not equal, or too many."""
    old, new = list(_TOKEN.finditer(before)), list(_TOKEN.finditer(block))
    if len(old) != len(new) or _TOKEN.split(before) != _TOKEN.split(block):
        return None
    quoted = b'"' + text.encode() + b'"'
    spans = []
    for was, now in zip(old, new, strict=True):
        if was[0] == now[0] and now[0] != quoted:
            continue
        if was[0].startswith(b'"') != now[0].startswith(b'"'):
            return None
        if b"\\" in now[0] or _KEY.match(block, now.end()):
            if was[0] != now[0]:
                return None
            continue
        spans.append(now.span())
    return spans if 0 < len(spans) <= _MOST else None


def _facts(found: Stream) -> dict[str, Any]:
    """Everything that one event said, each under the role that may say it."""
    counts = found.usages[0]._asdict() if len(found.usages) == 1 else {"usages": found.usages}
    identity = found.identities[0]._asdict() if len(found.identities) == 1 else {"identities": found.identities}
    return {
        "text": [channel.text for channel in found.channels],
        **counts,
        **identity,
        "rest": (
            found.wire, bytes(found.kinds), [(c.key, c.name, c.id) for c in found.channels], len(found.pieces),
            found.faults, found.errors, found.finishes, found.terminators, found.names, found.facts,
        ),
    }  # fmt: skip


def _role(plain: dict[str, Any], probed: dict[str, Any]) -> str | None:
    """What a place is for, by what a probe in it changed."""
    changed = [name for name in plain.keys() | probed.keys() if plain.get(name) != probed.get(name)]
    if not changed:
        return "ignored"
    if len(changed) != 1:
        return None
    (name,) = changed
    expected: Any = [_WORD[1:-1].decode()] if name == "text" else int(_NUMBER)
    known = name in ("text", "created") or name in Usage._fields[1:]
    return name if known and probed.get(name) == expected else None
