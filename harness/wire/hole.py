"""Events that differ in one text alone, decoded by the thousand without parsing the same JSON again and again.

Most events of a stream are byte for byte alike but for their text: ``PREFIX text SUFFIX``. A :class:`Hole` is learned
from one event that the dialects have read, and proven: the same bytes with a probe in the text's place must decode
to the probe and to nothing else. What then matches PREFIX and SUFFIX with a text that JSON takes literally (no quote,
no backslash, no control character, valid UTF-8) decodes to that text by JSON's own grammar. Everything else goes the
long way round.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from itertools import accumulate

from harness.wire.sink import Sink
from harness.wire.stream import CONTENT, Stream

_NOT_LITERAL = re.compile(rb'["\\\x00-\x1f]')
_REPLACEMENT = "\ufffd".encode()
_PROBE = "=probe="
_SMALL, _LARGE = 1 << 12, 1 << 17  # bytes looked at in one go

Replay = Callable[[bytes], Stream]


class Hole:
    """PREFIX and SUFFIX of one event (its blank line included) around the text of one channel.

    ``identity`` is the sink's identity that these bytes repeat: with another one in force they would change it back.
    ``stretch``: bytes that may be expected to match.
    """

    def __init__(
        self, prefix: bytes, suffix: bytes, kind: int, channel: int, name: str, identity: object, stretch: int
    ) -> None:
        self.prefix, self.suffix = prefix, suffix
        self.kind, self.channel, self.name, self.identity = kind, channel, name, identity
        self.used = 0
        self._between = suffix + prefix
        self._eol = b"\r\n" if suffix.endswith(b"\r\n") else b"\n"
        self._blank = self._eol * 2
        self._lines = prefix.count(self._eol)  # before the text's own
        self._head, self._foot = len(prefix) - prefix.rfind(b"\n") - 1, len(suffix) - len(self._blank)
        self._window = min(max(stretch, _SMALL), _LARGE)

    def run(self, buffer: bytes, at: int, last: int, base: int, sink: Sink) -> int:
        """Decode as many events as match from ``at`` on; where the first one starts that does not.

        ``buffer[:last]`` holds whole events; ``base`` is the offset of the buffer in the body.
        """
        if last - at < 2 * (len(self.prefix) + len(self.suffix)):  # one event
            return self._one(buffer, at, last, base, sink)
        while at < last and self._fits(buffer, at):
            stop = last if last - at <= self._window else self._stop(buffer, at)
            if stop <= at:  # one event is longer than the window
                self._window *= 4
                continue
            texts, whole = _literal(self._texts(buffer, at, stop))
            begin = at
            if texts:
                at = self._columns(texts, whole, at, base, sink)
            if at < stop:
                self._window = max(at - begin, _SMALL)
                return at
            self._window = min(self._window * 2, _LARGE)
        return at

    def would_fit(self, block: bytes, sink: Sink) -> bool:
        """Nothing but its text keeps this event from matching."""
        return self.identity is sink.current and block.startswith(self.prefix) and block.endswith(self.suffix)

    def _fits(self, buffer: bytes, at: int) -> bool:
        """The event at ``at`` looks right; cheap, since it may be the only one."""
        begin = at + len(self.prefix)
        end = buffer.find(b'"', begin)
        return (
            buffer.startswith(self.prefix, at)
            and buffer.startswith(self.suffix, end)
            and buffer.find(b"\\", begin, end) < 0
        )

    def _stop(self, buffer: bytes, at: int) -> int:
        """Where the last whole event of the window ends."""
        found = buffer.rfind(self._blank, at, at + self._window)
        return found + len(self._blank) if found >= 0 else -1

    def _one(self, buffer: bytes, at: int, last: int, base: int, sink: Sink) -> int:
        """As :meth:`run`, for the single event of a small read."""
        begin = at + len(self.prefix)
        if not buffer.startswith(self.prefix, at) or not buffer.endswith(self.suffix, begin, last):
            return at
        text = buffer[begin : last - len(self.suffix)]
        if not text or _NOT_LITERAL.search(text):
            return at
        try:
            whole = text.decode()
        except UnicodeDecodeError:
            return at
        if "\ufffd" in whole:
            return at
        sink.text(self.channel, whole)
        if self.name:
            sink.stream.names[sink.event] = self.name
        sink.row(self.kind, base + at, base + last - len(self._eol) + 1)
        self.used += 1
        return last

    def _texts(self, buffer: bytes, at: int, stop: int) -> list[bytes]:
        """The texts of the leading events of ``buffer[at:stop]`` that have PREFIX and SUFFIX.

        Cut blindly, then proven by putting the events together again.
        """
        window = buffer[at:stop]
        head, foot = self._head, self._foot
        lines = window.split(self._eol)[self._lines :: self._lines + 2]
        texts = [line[head : len(line) - foot] for line in lines[: len(lines) - (self._lines == 0)]]
        if self.prefix + self._between.join(texts) + self.suffix == window:
            return texts
        good, bad = 0, len(texts) + 1  # so many fit, and so many do not
        while bad - good > 1:
            count = (good + bad) // 2
            if window.startswith(self.prefix + self._between.join(texts[:count]) + self.suffix):
                good = count
            else:
                bad = count
        return texts[:good]

    def _columns(self, texts: list[bytes], whole: str, at: int, base: int, sink: Sink) -> int:
        """Rows and pieces for these texts (``whole`` is all of them, joined); the offset behind the last."""
        stream, count, first = sink.stream, len(texts), sink.event
        around = len(self.prefix) + len(self.suffix)
        lengths = list(map(len, texts))
        bounds = list(accumulate([length + around for length in lengths], initial=base + at))
        late = len(self._eol) - 1  # the LF of a CRLF is not the byte that dispatches
        stream.ends.extend(array("Q", [bound - late for bound in bounds[1:]] if late else bounds[1:]))
        after = bounds.pop()
        stream.starts.extend(array("Q", bounds))
        stream.kinds += bytes([self.kind]) * count
        pieces, size = stream.pieces, sink.sizes[self.channel]
        if not whole.isascii():
            lengths = list(map(len, map(bytes.decode, texts)))
        offsets = list(accumulate(lengths, initial=size))
        sink.sizes[self.channel] = offsets.pop()
        pieces.event.extend(array("I", range(first, first + count)))
        pieces.channel.extend(array("H", [self.channel]) * count)
        pieces.offset.extend(array("I", offsets))
        pieces.length.extend(array("I", lengths))
        sink.parts[self.channel].append(whole)
        if self.name:
            stream.names.update(dict.fromkeys(range(first, first + count), self.name))
        sink.event += count
        self.used += count
        return after - base


def _literal(texts: list[bytes]) -> tuple[list[bytes], str]:
    """The texts up to the first that is empty, or that JSON does not take literally, or not without remark."""
    joined = b"".join(texts)
    if b"" in texts or _NOT_LITERAL.search(joined) or _REPLACEMENT in joined:
        texts = _until(texts, lambda text: not text or bool(_NOT_LITERAL.search(text)) or _REPLACEMENT in text)
        joined = b"".join(texts)
    if not joined.isascii():
        texts = _until(texts, _broken)
        joined = b"".join(texts)
    return texts, joined.decode()


def _until(texts: list[bytes], bad: Callable[[bytes], bool]) -> list[bytes]:
    for number, text in enumerate(texts):
        if bad(text):
            return texts[:number]
    return texts


def _broken(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return True
    return False


def learn(block: bytes, sink: Sink, replay: Replay, stretch: int) -> Hole | None:
    """A hole from an event that was just read into the sink, bringing one piece; None when it did anything else.

    ``block``: its bytes, blank line included. ``replay`` decodes bytes by themselves.
    """
    stream, pieces = sink.stream, sink.stream.pieces
    kind = stream.kinds[-1]
    if not sink.plain or kind not in CONTENT:
        return None
    channel = pieces.channel[-1]
    quoted = b'"' + sink.parts[channel][-1].encode() + b'"'
    at = block.find(quoted)
    for _ in range(4):
        if at < 0:
            break
        prefix, suffix = block[: at + 1], block[at + len(quoted) - 1 :]
        if _proven(replay(prefix + _PROBE.encode() + suffix), stream, kind, channel):
            name = stream.names.get(sink.event - 1, "")
            return Hole(prefix, suffix, kind, channel, name, sink.current, stretch)
        at = block.find(quoted, at + 1)
    return None


def _proven(found: Stream, stream: Stream, kind: int, channel: int) -> bool:
    """The probe, and nothing else, came out of the channel's text."""
    return (
        list(found.kinds) == [kind]
        and [(c.key, c.text) for c in found.channels] == [(stream.channels[channel].key, _PROBE)]
        and len(found.pieces) == 1
        and not (found.faults or found.errors or found.finishes or found.usages or found.terminators)
    )
