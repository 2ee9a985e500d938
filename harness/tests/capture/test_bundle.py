"""Bodies are lent between taps of one exchange, and only there."""

from array import array

import pytest

from harness.capture.bundle import check_shared, resolve_shared
from harness.capture.model import Capture, End, Head, stamped
from harness.errors import CaptureError


def held(hop: str, data: bytes, **more: object) -> Capture:
    body, times, ends = stamped([(1.0, data)])
    return Capture(hop, body=body, times=times, ends=ends, **more)


def stamps(hop: str, *upto: int, **more: object) -> Capture:
    return Capture(hop, body=None, times=array("d", range(len(upto))), ends=array("Q", upto), **more)


def test_a_tap_that_only_stamps_borrows_from_the_same_exchange() -> None:
    read, write = held("gateway", b"abcdef", exchange="x"), stamps("app", 2, 5, exchange="x", tap="write")
    resolved = resolve_shared([read, write])
    assert resolved[0] is read
    assert list(resolved[1].reads()) == [(0.0, b"ab"), (1.0, b"cde")]


def test_nothing_is_borrowed_from_another_exchange_or_repeat() -> None:
    read = held("gateway", b"abcdef", exchange="x", repeat=0)
    for other in (stamps("app", 2, exchange="y", repeat=0), stamps("app", 2, exchange="x", repeat=1)):
        assert resolve_shared([read, other])[1].body is None


def test_the_nearest_inner_lender_with_enough_bytes_wins() -> None:
    short, long, outer = held("engine", b"AAAAAAAA"), held("gateway", b"bbbbbbbb"), held("proxy", b"CCCCCCCC")
    assert resolve_shared([short, long, stamps("app", 8), outer])[2].body == b"bbbbbbbb"
    assert resolve_shared([short, held("gateway", b"b"), stamps("app", 8), outer])[2].body == b"AAAAAAAA"


def test_decoded_offsets_do_not_borrow_coded_bytes() -> None:
    coded = held("gateway", b"\x1f\x8b...", head=Head(0.0, 200, headers=(("content-encoding", "gzip"),)))
    assert resolve_shared([coded, stamps("browser", 5, tap="arrive", content_decoded=True)])[1].body is None


def test_stamps_beyond_the_bytes_of_a_whole_capture_are_refused() -> None:
    whole = held("gateway", b"abcdef", end=End(2.0, "complete"))
    check_shared([whole, stamps("app", 2, 6), stamps("browser")])
    with pytest.raises(CaptureError, match=r'app \(read\): expected "upto" to be at most 6, .* found 9'):
        check_shared([whole, stamps("app", 2, 9)])


def test_a_recording_that_died_may_hold_less_than_was_seen_of_it() -> None:
    for end in (None, End(2.0, "open", "interrupted")):
        check_shared([held("gateway", b"abcdef", end=end), stamps("app", 2, 9)])
    check_shared([stamps("app", 2, 9)])
