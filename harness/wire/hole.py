"""Events that differ in one text alone, decoded by the thousand without parsing the same JSON again and again.

Most events of a stream are byte for byte alike but for their text: ``PREFIX text SUFFIX``. A :class:`Hole` is learned
from one event that was read already, and proven: the same bytes with a probe in the text's place must decode to the
probe and to nothing else. What then matches PREFIX and SUFFIX around the inside of one JSON string decodes to that
string by JSON's own grammar. Everything else goes the long way round.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import accumulate

import msgspec

from harness.wire import typed
from harness.wire.sink import Sink
from harness.wire.stream import Stream

_PROBE = "=probe="
_SMALL, _LARGE = 1 << 12, 1 << 16  # bytes looked at in one go
_strings = msgspec.json.Decoder(list[str]).decode

Replay = Callable[[bytes], Stream]


class Hole:
    """PREFIX and SUFFIX of one event (its blank line included) around the text of one channel.

    ``identity`` is the sink's identity that these bytes repeat: with another one in force they would change it back.
    ``most``: bytes to look at in one go; a longer event does not match. ``stretch``: bytes that may be expected to
    match; after :meth:`run`, those that did.
    """

    def __init__(
        self, prefix: bytes, suffix: bytes, kind: int, channel: int, name: str, identity: object,
        most: int = _LARGE, stretch: int = 0,
    ) -> None:  # fmt: skip
        self.prefix, self.suffix = prefix, suffix
        self.kind, self.channel, self.name, self.identity = kind, channel, name, identity
        self.around = len(prefix) + len(suffix)
        self.used = 0
        self._between = suffix + prefix
        self._eol = b"\r\n" if suffix.endswith(b"\r\n") else b"\n"
        self._before = prefix.count(self._eol)  # lines before the text's own
        self._line = prefix[prefix.rfind(b"\n") + 1 :], suffix[: -2 * len(self._eol)]
        self.stretch = stretch
        self._most = min(most, _LARGE)

    def run(self, buffer: bytes, at: int, last: int, base: int, sink: Sink) -> int:
        """Decode as many events as match from ``at`` on; where the first one starts that does not.

        ``buffer[:last]`` holds whole events; ``base`` is the offset of the buffer in the body.
        """
        begin, window = at, min(max(self.stretch + self.around, _SMALL), self._most)
        while at < last and buffer.startswith(self.prefix, at):
            stop = last
            if last - at > window:
                stop = buffer.rfind(self._eol * 2, at, at + window) + 2 * len(self._eol)
            if stop <= at:  # one event is longer than the window
                break
            raw = self._texts(buffer[at:stop])
            texts = strings(raw)
            if texts:
                late = len(self._eol) - 1
                bounds = list(accumulate([len(text) + self.around for text in raw[: len(texts)]], initial=base + at))
                at = bounds[-1] - base
                sink.rows(self.kind, self.channel, texts, bounds, late, self.name)
                self.used += len(texts)
            if at < stop:
                break
            window = min(window * 2, self._most)
        self.stretch = at - begin
        return at

    def would_fit(self, block: bytes, sink: Sink) -> bool:
        """Nothing but its text keeps this event from matching."""
        return self.identity is sink.current and block.startswith(self.prefix) and block.endswith(self.suffix)

    def _texts(self, window: bytes) -> list[bytes]:
        """What stands in the place of the text in the leading events of the window that have PREFIX and SUFFIX.

        Cut blindly, then proven by putting the events together again.
        """
        start, stop = self._line
        lines = window.split(self._eol)[self._before :: self._before + 2]
        if not self._before:
            lines.pop()  # what stands behind the last blank line: nothing
        head, foot = len(start), len(stop)
        texts = [line[head : len(line) - foot] for line in lines]
        if self.prefix + self._between.join(texts) + self.suffix == window:
            return texts
        fit = (line.startswith(start) and line.endswith(stop) and len(line) >= head + foot for line in lines)
        texts = texts[: next((i for i, fits in enumerate(fit) if not fits), len(texts))]
        while texts and not window.startswith(self.prefix + self._between.join(texts) + self.suffix):
            texts = texts[: len(texts) // 2]  # some other line is odd
        return texts


def strings(raw: list[bytes]) -> list[str]:
    """The leading texts that are the inside of one JSON string, and to be passed without remark: not empty, no U+FFFD.

    All are read at once as a list of strings, one a line: a JSON string does not go over a line's end, so each line
    gives at least one string, and as many strings as lines means one of each.
    """
    try:
        texts = _strings(b'["' + b'",\n"'.join(raw) + b'"]') if raw else []
    except msgspec.DecodeError:
        texts = []
    if len(texts) != len(raw):
        return strings(raw[: len(raw) // 2])
    if "" in texts or "\ufffd" in "".join(texts):
        return texts[: next(i for i, text in enumerate(texts) if not text or "\ufffd" in text)]
    return texts


def learn(
    block: bytes, text: str, kind: int, channel: int, name: str, sink: Sink, replay: Replay,
    most: int = _LARGE, stretch: int = 0,
) -> Hole | None:  # fmt: skip
    """A hole from an event that was just read into the sink and brought this text alone; None when none is proven.

    ``block``: its bytes, blank line included. ``replay`` decodes bytes by themselves.
    """
    literal = b'"' + text.encode() + b'"'
    for quoted in (literal, json.dumps(text).encode()) if b"\\" in block else (literal,):
        at = block.find(quoted)
        for _ in range(4):
            if at < 0:
                break
            prefix, suffix = block[: at + 1], block[at + len(quoted) - 1 :]
            if _proven(block, text, prefix + _PROBE.encode() + suffix, kind, channel, sink, replay):
                return Hole(prefix, suffix, kind, channel, name, sink.current, most, stretch)
            at = block.find(quoted, at + 1)
    return None


def _proven(block: bytes, text: str, probed: bytes, kind: int, channel: int, sink: Sink, replay: Replay) -> bool:
    """The probe, and nothing else, comes out of the channel's text."""
    data, blank = b"data: ", b"\n\n" if block.endswith(b"\n\n") else b"\r\n\r\n"
    if block.startswith(data) and b"\n" not in block[: -len(blank)]:
        one, other = (each[len(data) : -len(blank)] for each in (block, probed))
        if typed.differ_in_text(one, text, other, _PROBE):
            return True
    found = replay(probed)
    return (
        list(found.kinds) == [kind]
        and [(c.key, c.text) for c in found.channels] == [(sink.stream.channels[channel].key, _PROBE)]
        and len(found.pieces) == 1
        and not (found.faults or found.errors or found.finishes or found.usages or found.terminators)
    )
