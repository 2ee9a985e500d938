"""NDJSON records, however the bytes are cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.tests.wire.build import cuttings, pieces
from harness.wire.ndjson import NDJSONParser, Record

FRAGMENTS = [b"{}", b'{"a":1}', b"\n", b"\r\n", b" ", b"\xef\xbb\xbf", b"x" * 30]
SOUP = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map(b"".join)


def parse(body: bytes, cuts: list[int], limit: int = 1000) -> list[Record]:
    parser, out = NDJSONParser(limit), []
    for part in pieces(body, cuts):
        out += parser.feed(part)
    return out + parser.close()


@given(SOUP, cuttings, st.sampled_from([20, 1000]))
def test_cuts_change_nothing(body: bytes, cuts: list[int], limit: int) -> None:
    assert parse(body, cuts, limit) == parse(body, [], limit)


def test_a_record_knows_its_bytes() -> None:
    body = b'{"a":1}\r\n\n {"b":2} \n{"c":3}'
    assert [(body[r.start : r.end], r.data) for r in parse(body, [])] == [
        (b'{"a":1}\r\n', b'{"a":1}'),
        (b' {"b":2} \n', b'{"b":2}'),
        (b'{"c":3}', b'{"c":3}'),
    ]


def test_a_record_over_the_limit_is_told_without_its_bytes() -> None:
    records = parse(b"1\n" + b"x" * 5000 + b"\n2\n", list(range(0, 6000, 100)), 1000)
    assert records == [Record(0, 2, b"1"), Record(2, 5003, None), Record(5003, 5005, b"2")]


def test_memory_stays_within_the_limit() -> None:
    parser = NDJSONParser(1000)
    for _ in range(100):
        parser.feed(b"x" * 500)
    assert sum(map(len, parser._rest)) <= 1000
