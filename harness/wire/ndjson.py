"""Newline-delimited JSON records, incrementally and in bounded memory. Source: github.com/ndjson/ndjson-spec."""

from __future__ import annotations

from typing import NamedTuple

LIMIT = 16 * 1024 * 1024  # bytes of one record
_BOM = b"\xef\xbb\xbf"
_new = tuple.__new__


class Record(NamedTuple):
    """One line without its end; byte offsets in the stream, the newline included. ``data`` is None over the limit."""

    start: int
    end: int
    data: bytes | None


class NDJSONParser:
    """Bytes in, records out; blank lines are no records; a CR before the LF is no part of the record."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self.offset = 0
        self._rest: list[bytes] = []
        self._size = 0  # of the line so far, dropped bytes included

    def feed(self, data: bytes) -> list[Record]:
        """The records that these bytes complete."""
        cut = data.rfind(b"\n") + 1
        if not cut:
            self._keep(data)
            return []
        start = self.offset - self._size
        lost = self._size if self._size > self.limit else 0  # of the first line, dropped before
        whole = b"".join([*self._rest, data[:cut]])
        out: list[Record] = []
        for line in whole[:-1].split(b"\n"):
            end = start + lost + len(line) + 1
            if lost or not start or len(line) > self.limit:
                self._record(line, start, end, lost, out)
            elif kept := line.strip(b" \t\r"):
                out.append(_new(Record, (start, end, kept)))
            start, lost = end, 0
        self.offset, self._rest, self._size = start, [], 0
        if cut < len(data):
            self._keep(data[cut:])
        return out

    def close(self) -> list[Record]:
        """The stream has ended: a last line without a newline is a record too, whole or not."""
        out: list[Record] = []
        if self._size:
            lost = self._size if self._size > self.limit else 0
            self._record(b"".join(self._rest), self.offset - self._size, self.offset, lost, out)
        self._rest, self._size = [], 0
        return out

    def _record(self, line: bytes, start: int, end: int, lost: int, out: list[Record]) -> None:
        if start == 0 and line.startswith(_BOM):
            line, start = line[3:], 3
        if lost or len(line) > self.limit:
            out.append(Record(start, end, None))
        elif data := line.strip(b" \t\r"):
            out.append(Record(start, end, data))

    def _keep(self, data: bytes) -> None:
        self.offset += len(data)
        self._size += len(data)
        if self._size > self.limit:
            self._rest = []
        else:
            self._rest.append(data)
