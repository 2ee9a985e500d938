"""Server-sent events to the letter of the HTML standard, incrementally and in bounded memory.

Source: HTML Standard, 9.2.6 "Interpreting an event stream". Lines end in LF, CR or CRLF and in nothing else
(U+2028, U+0085, VT and FF are text). The event that the stream's end cuts off is kept beside, as ``tail``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LIMIT = 16 * 1024 * 1024  # bytes of one line, and of one event's data
_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n?|\n")


class Event(NamedTuple):
    """What the standard dispatches. ``start``/``end`` are byte offsets in the stream: from the block's first line to
    the byte that dispatches it (the LF of a CRLF there is not counted, since it may not have come yet)."""

    type: str
    data: str
    id: str
    start: int
    end: int


class Block(NamedTuple):
    """An event as bytes. ``data`` is None where it went over the limit; ``name`` is empty where none was given."""

    start: int
    end: int
    data: bytes | None
    name: str
    id: str


class Aside(NamedTuple):
    """A line that says nothing to the standard: a comment (it starts with a colon), or no known field.

    ``end`` counts the first byte of the line's end in; ``line`` is cut to 2,000 bytes.
    """

    start: int
    end: int
    line: bytes


class SSEParser:
    """Bytes in, events out; any split of the bytes gives the same events.

    After :meth:`close`, ``tail``: the unterminated last block; ``oversize``: where it began, had it too many bytes.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self.offset = 0  # of the next byte to come
        self.last_id = ""
        self.retry: int | None = None
        self.tail = b""
        self.oversize: int | None = None
        self._rest: list[bytes] = []  # the line that has not ended yet
        self._rest_size = 0
        self._long = False  # that line went over the limit, its bytes were dropped
        self._raw: list[bytes] = []  # ended lines of the block, for the tail
        self._raw_size = 0
        self._skip_lf = self._started = False
        self._start = -1  # of the block at hand; -1 between blocks
        self._data: list[bytes] = []
        self._size = 0
        self._over = False
        self._name = ""

    def seek(self, offset: int) -> None:
        """Go on at this byte, between two events: what came before was read by somebody else."""
        self._started, self.offset = True, offset

    def feed(self, data: bytes) -> list[Event]:
        """The events that these bytes complete."""
        return [
            Event(b.name or "message", b.data.decode("utf-8", "replace"), b.id, b.start, b.end)
            for b in self.items(data)
            if type(b) is Block and b.data is not None
        ]

    def close(self) -> list[Event]:
        """The stream has ended: nothing more is dispatched (the standard drops an unterminated block); see ``tail``."""
        self.tail = b"".join(self._raw) + b"".join(self._rest)
        self.oversize = self._start if self._over else None
        return []

    def items(self, data: bytes) -> list[Block | Aside]:
        """As :meth:`feed`, as bytes and in the order in which they stand: events (oversize ones included), comments
        and strange lines."""
        if not self._started:
            data = self._after_bom(data)
        if not data:
            return []
        if self._skip_lf:
            self._skip_lf = False
            if data[0] == 10:
                self.offset += 1
                if self._raw:
                    self._raw.append(b"\n")
                data = data[1:]
                if not data:
                    return []
        if b"\n" not in data and b"\r" not in data:
            self._keep(data)
            return []
        base = self.offset - self._rest_size
        if self._rest:
            data = b"".join([*self._rest, data])
        out: list[Block | Aside] = []
        done = 0
        for match in _LINE_END.finditer(data):
            stop, end = match.span()
            if stop == done and not self._long:
                self._dispatch(base + stop + 1, out)
            else:
                self._line(data[done:stop], base + done, data[done:end], out)
            done = end
        self._skip_lf = data[done - 1] == 13 and done == len(data)
        self.offset = base + done
        self._rest, self._rest_size = [], 0
        if done < len(data):
            self._keep(data[done:])
        return out

    def _after_bom(self, data: bytes) -> bytes:
        head = b"".join(self._rest) + data
        self.offset, self._rest, self._rest_size = 0, [], 0
        if len(head) < 3 and _BOM.startswith(head):
            self._rest, self._rest_size, self.offset = [head] if head else [], len(head), len(head)
            return b""
        self._started = True
        if head.startswith(_BOM):
            self.offset, head = 3, head[3:]
        return head

    def _keep(self, data: bytes) -> None:
        self.offset += len(data)
        if self._long:
            return
        if self._start < 0:
            self._start = self.offset - len(data)
        self._rest.append(data)
        self._rest_size += len(data)
        if self._rest_size > self.limit:
            self._long = self._over = True
            self._rest, self._rest_size = [], 0

    def _line(self, line: bytes, start: int, raw: bytes, out: list[Block | Aside]) -> None:
        if self._long or len(line) > self.limit:
            self._long, self._over = False, True
            self._start = start if self._start < 0 else self._start
            return
        if self._start < 0:
            self._start = start
        self._remember(raw)
        if line[0] == 58:  # a colon: comment
            out.append(Aside(start, start + len(line) + 1, line[:2000]))
            return
        name, _, value = line.partition(b":")
        if value[:1] == b" ":
            value = value[1:]
        if name == b"data":
            self._data.append(value)
            self._size += len(value) + 1
            if self._size > self.limit:
                self._over, self._data = True, []
        elif name == b"event":
            self._name = value.decode("utf-8", "replace")
        elif name == b"id":
            if 0 not in value:
                self.last_id = value.decode("utf-8", "replace")
        elif name == b"retry":
            if value.isdigit() and len(value) < 19:
                self.retry = int(value)
        else:
            out.append(Aside(start, start + len(line) + 1, line[:2000]))

    def _remember(self, raw: bytes) -> None:
        self._raw.append(raw)
        self._raw_size += len(raw)
        if self._raw_size > self.limit:
            self._raw, self._raw_size = [], 0

    def _dispatch(self, end: int, out: list[Block | Aside]) -> None:
        if self._over:
            out.append(Block(self._start, end, None, self._name, self.last_id))
        elif self._data:
            out.append(Block(self._start, end, b"\n".join(self._data), self._name, self.last_id))
        elif self._start < 0:
            return
        self._start, self._size, self._over, self._name, self._data = -1, 0, False, "", []
        if self._raw:
            self._raw, self._raw_size = [], 0
