"""TCP segments into exchanges: order, doubles, holes and ends."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.capture.model import Capture
from harness.capture.packets import Segment, captures_of

ASK = b"POST /v1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}"
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKS = [b"5\r\nhello\r\n", b"3\r\nabc\r\n", b"0\r\n\r\n"]
MS = 1_000_000


def ask(ns: int = 0, data: bytes = ASK, seq: int = 1, **flags: bool) -> Segment:
    return Segment(0, ns, "c", "s", seq, data, **flags)


def answer(ns: int, data: bytes, seq: int, **flags: bool) -> Segment:
    return Segment(0, ns, "s", "c", seq, data, **flags)


def one(*segments: Segment) -> Capture:
    (capture,), _ = captures_of(segments, "engine")
    return capture


def in_order(*parts: bytes) -> list[Segment]:
    found, seq = [], 1
    for index, part in enumerate(parts, 1):
        found.append(answer(index * MS, part, seq))
        seq += len(part)
    return found


def test_reads_are_segments_without_their_framing() -> None:
    capture = one(ask(), *in_order(HEAD, *CHUNKS))
    assert list(capture.reads()) == [(2.0, b"hello"), (3.0, b"abc")]
    assert capture.end is not None and (capture.end.kind, capture.end.t) == ("complete", 4.0)
    assert capture.head is not None and capture.head.t == 1.0


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_bytes_that_came_out_of_order_are_read_when_the_hole_is_filled(order: tuple[int, ...]) -> None:
    parts = in_order(b"", HEAD, *CHUNKS)[1:]
    first = answer(1, b"", 1)
    shuffled = [parts[index] for index in order]
    capture = one(ask(), first, *[answer((at + 1) * MS, s.data, s.seq) for at, s in enumerate(shuffled)])
    if order[0] == 0:
        assert capture.body == b"helloabc" and capture.end is not None and capture.end.kind == "complete"


def test_a_retransmission_counts_once() -> None:
    parts = in_order(HEAD, *CHUNKS)
    capture = one(ask(), ask(5), *[segment for part in parts for segment in (part, part)])
    assert capture.body == b"helloabc"


@pytest.mark.parametrize(
    ("last", "end"),
    [
        (answer(9 * MS, b"", 60, fin=True), "truncated"),
        (answer(9 * MS, b"", 60, rst=True), "reset"),
        (ask(9 * MS, b"", 60, fin=True), "aborted"),
        (answer(9 * MS, b"", 60), "open"),
    ],
)
def test_the_end_is_told_by_the_flags(last: Segment, end: str) -> None:
    capture = one(ask(), *in_order(HEAD, CHUNKS[0]), last)
    assert capture.end is not None and capture.end.kind == end


def test_a_body_that_only_the_close_ends_is_complete() -> None:
    capture = one(ask(), *in_order(b"HTTP/1.0 200 OK\r\n\r\nhello"), answer(9 * MS, b"", 60, fin=True))
    assert capture.body == b"hello" and capture.end is not None and capture.end.kind == "complete"


def test_interim_answers_are_passed_by() -> None:
    assert one(ask(), *in_order(b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD, *CHUNKS)).body == b"helloabc"


def test_encrypted_connections_are_noticed() -> None:
    assert captures_of([ask(data=b"\x16\x03\x01\x00\x05hello")], "x") == ([], True)


@given(
    st.lists(
        st.builds(
            Segment,
            st.integers(0, 1),
            st.integers(0, 10**12),
            st.sampled_from("cs"),
            st.sampled_from("cs"),
            st.integers(0, 200),
            st.binary(max_size=30) | st.sampled_from([ASK, HEAD, *CHUNKS]),
            st.booleans(),
            st.booleans(),
        ),
        max_size=12,
    )
)
def test_arbitrary_segments_raise_nothing(segments: list[Segment]) -> None:
    for capture in captures_of(segments, "x")[0]:
        assert capture.body is not None and len(capture.body) == (capture.ends[-1] if capture.ends else 0)
