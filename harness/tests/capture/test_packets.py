"""TCP segments into exchanges: order, doubles, holes and ends."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.capture.model import Capture
from harness.capture.packets import MISSED, Passed, Segment, captures_of

ASK = b"POST /v1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}"
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKS = [b"5\r\nhello\r\n", b"3\r\nabc\r\n", b"0\r\n\r\n"]
MS = 1_000_000
GOT = 1 + len(HEAD) + len(CHUNKS[0])  # the next byte after the head and one chunk


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
        (answer(9 * MS, b"", GOT, fin=True), "truncated"),
        (answer(9 * MS, b"", GOT, rst=True), "reset"),
        (ask(9 * MS, b"", 1 + len(ASK), fin=True), "aborted"),
        (ask(9 * MS, b"", 1 + len(ASK), rst=True), "aborted"),
        (answer(9 * MS, b"", GOT), "open"),
    ],
)
def test_the_end_is_told_by_the_flags(last: Segment, end: str) -> None:
    capture = one(ask(), *in_order(HEAD, CHUNKS[0]), last)
    assert capture.end is not None and capture.end.kind == end


def test_a_body_that_only_the_close_ends_is_complete() -> None:
    capture = one(ask(), *in_order(b"HTTP/1.0 200 OK\r\n\r\nhello"), answer(9 * MS, b"", 25, fin=True))
    assert capture.body == b"hello" and capture.end is not None and capture.end.kind == "complete"


def test_interim_answers_are_passed_by() -> None:
    assert one(ask(), *in_order(b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD, *CHUNKS)).body == b"helloabc"


def test_encrypted_connections_are_noticed() -> None:
    assert captures_of([ask(data=b"\x16\x03\x01\x00\x05hello")], "x") == ([], Passed(encrypted=True))


def test_http2_is_passed_by_and_noticed() -> None:
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    segments = [ask(data=preface), ask(data=ASK, seq=1 + len(preface)), *in_order(b"\0\0\x12\x04\0")]
    assert captures_of(segments, "x") == ([], Passed(http2=True))


def test_pages_and_sockets_beside_a_stream_are_passed_by() -> None:
    def exchange(stream: int, asked: bytes, answered: bytes) -> list[Segment]:
        return [Segment(stream, stream, "c", "s", 1, asked), Segment(stream, stream + 9, "s", "c", 1, answered)]

    page = exchange(
        1, b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"
    )
    socket = exchange(2, b"GET /ws HTTP/1.1\r\n\r\n", b"HTTP/1.1 101 Switching\r\n\r\n\x81\x05hello")
    stream = exchange(
        3, b"GET /s HTTP/1.1\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: x\n\n"
    )
    (capture,) = captures_of([*page, *socket, *stream], "x")[0]
    assert capture.request is not None and capture.request.url.endswith("/s")
    assert len(captures_of([*page, *socket], "x")[0]) == 2


@pytest.mark.parametrize("last", [answer(9 * MS, b"", 999, fin=True), ask(9 * MS, b"", 1 + len(ASK), rst=True)])
def test_packets_that_the_recorder_missed_are_nobodys_fault(last: Segment) -> None:
    parts = in_order(HEAD, *CHUNKS)
    capture = one(ask(), *parts[:2], parts[3], last)  # the second chunk is missing, and nobody sent it again
    assert capture.body == b"hello" and capture.end is not None
    assert (capture.end.kind, capture.end.detail) == ("open", MISSED)


def test_a_fin_that_overtakes_data_ends_nothing_yet() -> None:
    parts = in_order(HEAD, *CHUNKS)
    fin = answer(3 * MS, b"", parts[3].seq + len(CHUNKS[2]), fin=True)
    capture = one(ask(), *parts[:2], fin, *parts[2:])
    assert capture.body == b"helloabc" and capture.end is not None and capture.end.kind == "complete"


def test_a_hole_that_is_never_filled_does_not_fill_the_memory() -> None:
    parts = in_order(HEAD, CHUNKS[0])
    late = [answer((5 + n) * MS, b"1\r\nx\r\n", 900 + 6 * n) for n in range(400)]
    capture = one(ask(), *parts, *late)
    assert capture.body == b"hello" and capture.end is not None and capture.end.detail == MISSED


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
