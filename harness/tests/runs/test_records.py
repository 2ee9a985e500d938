"""Spool records survive being cut anywhere, and bytes that are none raise nothing but our error."""

import contextlib
import json
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import CaptureError
from harness.runs.records import MAGIC, Mark, Record, decode, encode, gather

OPENING = {"capture": 1, "hop": "engine", "kind": "engine", "tap": "read", "exchange": "x"}
RECORDS: list[Record] = [
    (Mark.RUN, 0, 0.0, {"id": "x", "kind": "chat"}),
    (Mark.OPEN, 0, 0.0, OPENING),
    (Mark.HEAD, 0, 1.0, {"t": 1.0, "status": 200, "headers": []}),
    (Mark.DATA, 0, 2.5, b"data: \xff\n\n"),
    (Mark.OPEN, 1, 0.0, OPENING | {"hop": "app", "kind": "app", "tap": "write"}),
    (Mark.UPTO, 1, 2.75, 9),
    (Mark.DATA, 0, 3.5, b""),
    (Mark.END, 0, 4.0, {"t": 4.0, "end": "complete", "detail": ""}),
]
FILE = MAGIC + b"".join(map(encode, RECORDS))


def test_what_was_encoded_is_decoded() -> None:
    assert list(decode(FILE)) == RECORDS


def test_a_file_cut_at_any_byte_gives_the_whole_records_before_the_cut() -> None:
    sizes = [len(MAGIC)]
    for record in RECORDS:
        sizes.append(sizes[-1] + len(encode(record)))
    for cut in range(len(FILE)):
        whole = sum(size <= cut for size in sizes[1:])
        assert list(decode(FILE[:cut])) == RECORDS[:whole]


def test_taps_become_captures_and_one_without_an_end_is_open_and_interrupted() -> None:
    read, write = gather(iter(RECORDS)).captures
    assert (read.body, read.times, read.ends) == (b"data: \xff\n\n", array("d", [2.5, 3.5]), array("Q", [9, 9]))
    assert read.end is not None and read.end.kind == "complete" and read.head is not None and read.head.status == 200
    assert (write.body, write.ends) == (None, array("Q", [9]))
    assert write.end is not None and (write.end.t, write.end.kind, write.end.detail) == (2.75, "open", "interrupted")


def test_a_later_opening_replaces_the_first() -> None:
    later = (Mark.OPEN, 0, 0.0, OPENING | {"sent_at": "2026-11-30T12:00:00.000000Z"})
    assert gather(iter([*RECORDS, later])).captures[0].sent_at == "2026-11-30T12:00:00.000000Z"


def test_an_opening_that_is_none_is_our_error() -> None:
    with pytest.raises(CaptureError):
        gather(iter([(Mark.OPEN, 0, 0.0, {"hop": 1})]))


@given(st.binary(max_size=200))
def test_arbitrary_bytes_raise_nothing_but_our_error(tail: bytes) -> None:
    with contextlib.suppress(CaptureError):
        gather(decode(MAGIC + tail))


def test_a_file_of_another_kind_has_no_records() -> None:
    assert list(decode(json.dumps(OPENING).encode())) == []
