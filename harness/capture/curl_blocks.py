"""The records of a ``curl --trace`` or ``--trace-ascii`` file: what was sent, received or said, and when."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from harness.capture.fields import Place
from harness.capture.format import split_lines

# 14:50:55.997932 [0-0] <= Recv data, 67 bytes (0x43)      or      … == Info: Connection #0 to host h left intact
_RECORD = re.compile(
    rb"(?:(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)\.(?P<us>\d{6}) )?(?:\[(?P<id>[\dx]+)-[\dx]+\] )?"
    rb"(?:== Info: ?(?P<info>.*)|"
    rb"(?P<way>=>|<=) (?:Send|Recv) (?P<what>header|data|SSL data), (?P<size>\d{1,15}) bytes \(0x[0-9a-f]+\))"
)
# On a terminal the body, or the progress meter, stands between the records, and may have no line end of its own.
_GLUED = re.compile(rb"\d\d:\d\d:\d\d\.\d{6} (?:\[[\dx]+-[\dx]+\] )?(?:== Info: |(?:=>|<=) (?:Send|Recv) )")
_DUMP = re.compile(rb"([0-9a-f]{4,}):(?: (.*))?$", re.S)
_HEX = re.compile(rb"(?:[0-9a-f]{2} ){1,16}")
_DAY_US = 86_400_000_000


@dataclass(slots=True)
class Record:
    """One record. ``us``: microseconds since the midnight before the first one; ``clock``: its time as written."""

    line: int
    us: int
    clock: str
    what: str  # header | data | ssl | info
    sent: bool
    transfer: str
    size: int = 0
    data: bytes = b""
    text: str = ""
    rows: list[tuple[int, bytes]] = field(default_factory=list)


def looks_like_trace(data: bytes) -> bool:
    """Whether one of the first lines is a curl trace record."""
    return any(_RECORD.match(line) for line in data[:65536].split(b"\n")[:200])


class Trace:
    """The file's records. After the iteration: ``lossy``, the dump was ``--trace-ascii``; ``timed``, it has times."""

    def __init__(self, data: bytes, place: Place) -> None:
        self.data, self.place = data, place
        self.lossy = False
        self.timed: bool | None = None
        self._hex: bool | None = None

    def records(self) -> Iterator[Record]:
        """Each record, whole. Lines between them that belong to none (a body on the same terminal) are passed by."""
        open_record: Record | None = None
        day, last = 0, 0
        for number, raw in enumerate(split_lines(self.data), 1):
            line = raw.removesuffix(b"\r")
            # Nearly every line is a row of a dump, and no record has a colon there.
            found = None if line[4:5] == b":" else _RECORD.match(line)
            if found is None and (row := _DUMP.match(line)):
                if open_record is not None and open_record.what != "info":
                    open_record.rows.append((int(row[1], 16), row[2] or b""))
                continue
            if found is None and (glued := _GLUED.search(line)):
                found = _RECORD.match(line, glued.start())
            if found is None:
                continue
            if open_record is not None:
                yield self._whole(open_record)
            self.place.line = number
            timed = found["h"] is not None
            if self.timed not in (None, timed):
                self.place.fail("some records have a time stamp and some have none", "Record it again")
            self.timed = timed
            hours, minutes, seconds, micros = (int(found[key] or 0) for key in ("h", "m", "s", "us"))
            us = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros
            if us + day < last - _DAY_US // 2:
                day += _DAY_US  # past midnight
            last = us + day
            open_record = _record(number, last, found[0][:15].decode("ascii") if timed else "", found)
        if open_record is not None:
            yield self._whole(open_record)

    def _whole(self, record: Record) -> Record:
        if record.what in ("header", "data"):
            record.data = self._bytes(record)
        record.rows = []
        return record

    def _bytes(self, record: Record) -> bytes:
        if self._hex is None and record.rows:
            self._hex = _is_hex(record.rows[0][1], min(16, record.size))
            self.lossy = not self._hex
        self.place.line = record.line
        data = bytearray()
        for index, (offset, shown) in enumerate(record.rows):
            if offset != len(data):
                self.place.fail(f"expected the dump to go on at byte {len(data):04x}, found {offset:04x}")
            following = record.rows[index + 1][0] if index + 1 < len(record.rows) else record.size
            data += self._hex_row(shown, record.size - offset) if self._hex else _ascii_row(shown, following - offset)
        if len(data) > record.size:
            self.place.fail(f"expected {record.size} bytes, found {len(data)}")
        return bytes(data)

    def _hex_row(self, shown: bytes, left: int) -> bytes:
        try:
            data = bytes.fromhex(shown[:48].decode("latin-1"))
        except ValueError:
            found = _HEX.match(shown[:48].ljust(48))
            data = bytes.fromhex(found[0].decode("ascii")) if found else b""
        # A file cut off in the middle ends in a short row; anywhere else the offsets of the next row tell.
        return data[: max(left, 0)]


def _record(number: int, us: int, clock: str, found: re.Match[bytes]) -> Record:
    transfer = (found["id"] or b"").decode("ascii")
    if found["info"] is not None:
        text = found["info"].decode("utf-8", "replace").strip()
        return Record(number, us, clock, "info", False, transfer, text=text)
    what = found["what"].decode("ascii")
    return Record(
        number, us, clock, "ssl" if "SSL" in what else what, found["way"] == b"=>", transfer, size=int(found["size"])
    )


def _is_hex(shown: bytes, count: int) -> bool:
    """Whether a first row is hex: so many pairs, then at most as many characters, and nothing else."""
    pairs = _HEX.match(shown[:48].ljust(48))
    return pairs is not None and len(pairs[0]) == 3 * count and len(shown) <= 48 + count


def _ascii_row(shown: bytes, width: int) -> bytes:
    """A text row: curl leaves out the CR LF that ended it, which the next row's offset gives away."""
    missing = width - len(shown)
    if missing == 2:
        return shown + b"\r\n"
    # Blanks at the end of a row are lost when somebody's editor strips them.
    return shown.ljust(width) if missing > 0 else shown
