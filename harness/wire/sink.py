"""Where decoded facts are gathered: fills the columns of a :class:`~harness.wire.stream.Stream`, row by row."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import Any

from harness.phrase import phrase
from harness.wire.identities import Identities
from harness.wire.payload import clean
from harness.wire.stream import Channel, ChannelKey, Finish, Kind, Stream, StreamError, WireFault

FAULTS_KEPT = 200  # of one code; the rest is counted in facts["faults_more"]
CHANNELS_KEPT = 60_000


class Sink:
    """Takes what the dialects find in one event, then the event's row.

    ``dirty`` is set while an event with lone surrogates is read. ``seen``: what a dialect must remember from event to
    event.
    """

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.event = 0
        self.start = 0
        self.dirty = False
        self.seen: dict[Any, Any] = {}
        self.index: dict[tuple[int, str], int] = {}
        self.parts: list[list[str]] = []
        self.sizes: list[int] = []
        self.half: dict[int, str] = {}  # channel → a high surrogate that waits for its other half
        self._faults: dict[str, int] = {}
        self.settled = False  # the wire is known, and is OpenAI's or FastGPT's
        self.identities = Identities(stream.identities)
        pieces = stream.pieces
        self._columns = (pieces.event.append, pieces.channel.append, pieces.offset.append, pieces.length.append)
        self._rows = (stream.kinds.append, stream.starts.append, stream.ends.append)

    def row(self, kind: int, start: int, end: int) -> None:
        """The event is done."""
        add_kind, add_start, add_end = self._rows
        add_kind(kind)
        add_start(start)
        add_end(end)
        self.event += 1

    def channel(self, choice: int, part: str) -> int:
        """The number of a channel, made when it is new; -1 when there are too many."""
        number = self.index.get((choice, part))
        if number is None:
            number = len(self.parts)
            if number >= CHANNELS_KEPT:
                self.fault("shape", phrase("more than {most} channels", most=CHANNELS_KEPT))
                return -1
            self.index[choice, part] = number
            self.parts.append([])
            self.sizes.append(0)
            self.stream.channels.append(Channel(ChannelKey(choice, part)))
        return number

    def piece(self, choice: int, part: str, text: str) -> None:
        """A part of a channel's text."""
        number = self.index.get((choice, part), -1)
        if number < 0 and (number := self.channel(choice, part)) < 0:
            return
        if self.dirty or self.half:
            text = self._mend(number, text)
        self.text(number, text)
        if "\ufffd" in text and not self.dirty:
            self.fault("replacement", "the text holds U+FFFD")

    def text(self, number: int, text: str) -> None:
        """As :meth:`piece`, for text without fault and a channel that exists."""
        size, before = len(text), self.sizes[number]
        add_event, add_channel, add_offset, add_length = self._columns
        add_event(self.event)
        add_channel(number)
        add_offset(before)
        add_length(size)
        self.parts[number].append(text)
        self.sizes[number] = before + size

    def rows(self, kind: int, numbers: list[int], texts: list[str], bounds: list[int], late: int, name: str) -> None:
        """Many events at once, each a piece of text without fault: of channel ``numbers[i]``, or all of the only one.

        Event ``i`` starts at ``bounds[i]`` and is dispatched ``late`` bytes before ``bounds[i + 1]``.
        """
        stream, first, count = self.stream, self.event, len(texts)
        pieces = stream.pieces
        lengths = list(map(len, texts))
        pieces.event.extend(array("I", list(range(first, first + count))))
        pieces.channel.extend(array("H", numbers) if len(numbers) > 1 else array("H", numbers) * count)
        pieces.length.extend(array("I", lengths))
        if len(set(numbers)) == 1:
            offsets = list(accumulate(lengths, initial=self.sizes[numbers[0]]))
            self.sizes[numbers[0]] = offsets.pop()
            self.parts[numbers[0]].append("".join(texts))
        else:
            offsets = []
            for number, text, length in zip(numbers, texts, lengths, strict=True):
                offsets.append(self.sizes[number])
                self.sizes[number] += length
                self.parts[number].append(text)
        pieces.offset.extend(array("I", offsets))
        stream.kinds += bytes([kind]) * count
        ends = bounds[1:]
        stream.ends.extend(array("Q", [end - late for end in ends] if late else ends))
        stream.starts.extend(array("Q", bounds[:count]))
        if name:
            stream.names.update(dict.fromkeys(range(first, first + count), name))
        self.event += count

    def memory(self) -> tuple[Any, ...]:
        """All that may change how the next event is read; a copy."""
        seen = {key: dict(value) if isinstance(value, dict) else value for key, value in self.seen.items()}
        return self.stream.wire, self.settled, seen

    def name(self, choice: int, part: str, name: object, ident: object) -> None:
        """A tool call's name and id."""
        number = self.channel(choice, part)
        if number < 0:
            return
        channel = self.stream.channels[number]
        if isinstance(ident, str) and ident:
            if channel.id and channel.id != ident:
                ids = {"part": part, "choice": choice, "id": channel.id, "other": clean(ident, 100)}
                self.fault("tool-index", phrase("{part} of choice {choice} is {id} and {other} too", **ids))
            channel.id = channel.id or clean(ident)
        if isinstance(name, str) and name:
            channel.name = channel.name or clean(name)

    def finish(self, choice: int, reason: str) -> None:
        self.stream.finishes.append(Finish(self.event, choice, clean(reason, 200)))

    def usage(self, prompt: Any, completion: Any, total: Any, reasoning: Any = None) -> None:
        self.stream.usages.append(self.event, prompt, completion, total, reasoning)

    def error(self, message: str, code: str = "") -> None:
        if len(self.stream.errors) < FAULTS_KEPT:
            self.stream.errors.append(StreamError(self.event, clean(message), clean(code, 200)))

    def terminator(self) -> None:
        self.stream.terminators.append(self.event)

    def identity(self, ident: Any, created: Any, model: Any, fingerprint: Any) -> None:
        """Who answers; blank and absent parts say nothing."""
        self.identities.tell(self.event, ident, created, model, fingerprint)

    def fault(self, code: str, detail: str, offset: int | None = None, event: bool = True) -> None:
        """Something that the format does not allow, in the event at hand unless ``event`` is False."""
        count = self._faults[code] = self._faults.get(code, 0) + 1
        if count > FAULTS_KEPT:
            self.stream.facts.setdefault("faults_more", {})[code] = count - FAULTS_KEPT
            return
        at = self.start if offset is None else offset
        said = detail if detail == (short := clean(detail, 500)) else short  # a phrase stays one
        self.stream.faults.append(WireFault(code, self.event if event else None, at, said))

    def fact(self, name: str, value: Any) -> None:
        self.stream.facts[name] = value

    def work(self, *, done: bool) -> None:
        """This event tells that a tool or a node is at work from here on, or that it has done its work."""
        self.stream.facts.setdefault("work", []).append((self.event, done))

    def free_form(self, part: str) -> None:
        """This tool's input is text as it is (code, say), not JSON."""
        known = self.stream.facts.setdefault("free_form", [])
        if part not in known and len(known) < 100:
            known.append(part)

    def end(self) -> None:
        """No more text comes: a surrogate that still waits becomes U+FFFD, in its channel's last piece. The channels
        get their texts."""
        pieces = self.stream.pieces
        for number in self.half:
            last = next(i for i in range(len(pieces) - 1, -1, -1) if pieces.channel[i] == number)
            pieces.length[last] += 1
            self.parts[number].append("\ufffd")
            self.sizes[number] += 1
        self.half.clear()
        for parts, channel in zip(self.parts, self.stream.channels, strict=True):
            channel.text = "".join(parts)

    def _mend(self, number: int, text: str) -> str:
        """Join surrogate halves as a browser does, over pieces too; a half that stays alone becomes U+FFFD."""
        text = self.half.pop(number, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self.half[number], text = text[-1], text[:-1]
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# Which kind a chunk has that does several things: the least of these. Indexed by kind, for speed.
_ORDER = (
    Kind.ERROR,
    Kind.TEXT,
    Kind.REASONING,
    Kind.TOOL,
    Kind.FINISH,
    Kind.ROLE,
    Kind.USAGE,
    Kind.HEARTBEAT,
    Kind.EMPTY,
    Kind.UNKNOWN,
    Kind.TERMINATOR,
)
RANK = tuple(_ORDER.index(kind) for kind in Kind)
