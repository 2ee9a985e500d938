"""Transfer decoding agrees with h11, whatever the cuts, and refuses what h11 refuses."""

from __future__ import annotations

from itertools import pairwise

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.probe.framing import Chunked, FramingError, Length, UntilClose, after_head, framing_of

CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


def by_h11(body: bytes) -> tuple[bytes, bool] | None:
    """(body, ended) as h11 reads it, None where it refuses."""
    conn = h11.Connection(h11.CLIENT)
    conn.send(h11.Request(method="POST", target="/", headers=[("host", "x"), ("content-length", "0")]))
    conn.send(h11.EndOfMessage())
    conn.receive_data(CHUNKED + body)
    got = b""
    try:
        while True:
            event = conn.next_event()
            if isinstance(event, h11.Data):
                got += event.data
            elif isinstance(event, h11.EndOfMessage):
                return got, True
            elif event in (h11.NEED_DATA, h11.PAUSED):
                return got, False
    except h11.RemoteProtocolError:
        return None


def by_us(body: bytes, cuts: list[int]) -> tuple[bytes, bool] | None:
    framing = Chunked()
    edges = [0, *sorted(cut % (len(body) + 1) for cut in cuts), len(body)]
    try:
        got = b"".join(framing.feed(body[a:b]) for a, b in pairwise(edges))
    except FramingError:
        return None
    return got, framing.done


chunks = st.lists(st.binary(min_size=1, max_size=40), max_size=6)
extensions = st.sampled_from([b"", b";a=b", b";x", b';q="1"'])


@given(chunks, extensions, st.sampled_from([b"", b"x-t: 1\r\n", b"a: b\r\nc: d\r\n"]), st.lists(st.integers(0, 500)))
def test_a_chunked_body_is_the_same_whatever_the_cuts(parts, extension, trailer, cuts):
    body = b"".join(b"%x%s\r\n%s\r\n" % (len(p), extension, p) for p in parts) + b"0\r\n" + trailer + b"\r\n"
    assert by_us(body, cuts) == by_h11(body) == (b"".join(parts), True)
    assert by_us(body[:-1], cuts) == (b"".join(parts), False)


@given(
    st.lists(st.sampled_from([b"5\r\n", b"hello", b"\r\n", b"0\r\n", b"\n", b"\r", b"zz", b"-1\r\n", b"5"])),
    st.lists(st.integers(0, 90)),
)
def test_what_h11_refuses_is_refused_and_what_it_takes_is_taken(pieces, cuts):
    body = b"".join(pieces)
    theirs, ours = by_h11(body), by_us(body, cuts)
    if theirs is not None and ours is not None:
        assert ours == theirs
    elif theirs is not None:  # it waits for a line that can no longer become right
        assert not theirs[1]
    else:
        assert ours is None or not ours[1]


@pytest.mark.parametrize(
    "line", [b"\r\n", b"g\r\n", b"-5\r\n", b"0x5\r\n", b"5 5\r\n", b"11111111111111111\r\n", b"5\n"]
)
def test_a_line_that_is_no_size_is_refused(line):
    with pytest.raises(FramingError):
        Chunked().feed(line + b"hello")


def test_a_chunk_that_is_longer_than_it_says_is_refused():
    with pytest.raises(FramingError):
        Chunked().feed(b"5\r\nhello!\r\n0\r\n\r\n")


def test_an_endless_line_is_refused_instead_of_kept():
    framing = Chunked()
    with pytest.raises(FramingError):
        for _ in range(100):
            framing.feed(b"5" * 1000)


@pytest.mark.parametrize(
    ("status", "headers", "kind"),
    [
        (200, [("transfer-encoding", "Chunked"), ("content-length", "5")], Chunked),
        (200, [("content-length", "5")], Length),
        (200, [], UntilClose),
        (204, [("transfer-encoding", "chunked")], Length),
        (304, [("content-length", "5")], Length),
    ],
    ids=["chunked-wins", "length", "close", "no-content", "not-modified"],
)
def test_the_framing_follows_status_and_headers(status, headers, kind):
    framing = framing_of(status, headers)
    assert isinstance(framing, kind)
    assert framing.done == (status in (204, 304))


def test_a_length_takes_its_bytes_and_no_more():
    framing = Length(5)
    assert (framing.feed(b"abc"), framing.done, framing.feed(b"defgh"), framing.done) == (b"abc", False, b"de", True)


@pytest.mark.parametrize(
    ("data", "rest"),
    [
        (b"HTTP/1.1 200 OK\r\na: b\r\n\r\nbody\r\n\r\n", b"body\r\n\r\n"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbody", b"body"),
        (b"HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\n\nbody", b"body"),
        (b"HTTP/1.1 200 OK\r\n", b""),
    ],
    ids=["plain", "continue", "two-interim", "bare-lf", "unfinished"],
)
def test_the_body_begins_after_the_final_head(data, rest):
    assert after_head(data) == rest
