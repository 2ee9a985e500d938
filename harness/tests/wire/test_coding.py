"""Content codings, undone read by read: what each read shows, false headers, broken bytes, bombs."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from harness.tests.wire.build import capture, chunk, cuttings, pieces, sse
from harness.wire import coding as coding_module
from harness.wire.coding import ContentDecoder
from harness.wire.decode import decode


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": raw_deflate,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}
EACH = pytest.mark.parametrize("name", PACK, ids=list(PACK))
BODY = sse(*(chunk(f"word {i} ") for i in range(40)), chunk(finish="stop"), "[DONE]")


def header(name: str) -> str:
    return name.removeprefix("raw ")


def codes(taken: object) -> list[str]:
    return [fault.code for fault in decode(taken).faults]  # type: ignore[arg-type]


@EACH
@given(cuts=cuttings)
def test_every_coding_is_undone_however_it_is_cut(name: str, cuts: list[int]) -> None:
    stream = decode(capture(list(pieces(PACK[name](BODY), cuts)), coding=header(name)))
    assert (stream.body, stream.coding, stream.faults) == (BODY, header(name), [])
    assert stream.read_ends[-1] == len(BODY)


def test_first_byte_and_first_event_are_two_times() -> None:
    packer = zlib.compressobj(wbits=31)
    head, rest = packer.compress(BODY), packer.flush()
    stream = decode(capture([head, rest[:10], rest[10:]], coding="gzip", times=[100.0, 200.0, 1500.0]))
    assert stream.capture.times[0] == 100.0
    assert set(stream.times) == {1500.0}


def test_flushed_pieces_show_at_their_own_read() -> None:
    packer = zlib.compressobj(wbits=31)
    parts = [packer.compress(sse(chunk(t))) + packer.flush(zlib.Z_SYNC_FLUSH) for t in "abc"] + [packer.flush()]
    stream = decode(capture(parts, coding="gzip"))
    assert list(stream.times) == [10.0, 20.0, 30.0]


def test_codings_one_over_the_other_are_undone_in_turn() -> None:
    stream = decode(capture(brotli.compress(gzip.compress(BODY)), coding="gzip, br"))
    assert (stream.body, stream.coding, stream.faults) == (BODY, "gzip, br", [])


def test_members_after_the_first_are_decoded_and_told() -> None:
    parts = [gzip.compress(sse(chunk(t))) for t in "abc"]
    stream = decode(capture(parts, coding="gzip"))
    assert stream.text() == "abc"
    assert [(f.code, f.offset) for f in stream.faults] == [("gzip-members", len(sse(chunk("a"))))]
    assert stream.facts["gzip_first_member"] == len(sse(chunk("a")))


def test_frames_of_zstd_may_follow_one_another() -> None:
    stream = decode(capture(b"".join(zstandard.compress(sse(chunk(t))) for t in "abc"), coding="zstd"))
    assert (stream.text(), stream.faults) == ("abc", [])


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_header_that_names_a_coding_over_plain_bytes_is_noticed(name: str) -> None:
    stream = decode(capture(BODY, coding=name))
    assert (stream.body, stream.coding) == (BODY, "identity")
    assert [f.code for f in stream.faults] == ["coding-header"]


@pytest.mark.parametrize(("packed", "said"), [("gzip", ""), ("zstd", ""), ("gzip", "br"), ("zstd", "gzip")])
def test_a_header_that_hides_or_mistakes_the_coding_is_noticed(packed: str, said: str) -> None:
    stream = decode(capture(PACK[packed](BODY), coding=said))
    assert (stream.body, stream.coding) == (BODY, packed)
    assert [f.code for f in stream.faults] == ["coding-header"]


@pytest.mark.parametrize("said", ["none", "identity", ""])
def test_no_coding_by_any_name_is_fine(said: str) -> None:
    assert codes(capture(BODY, coding=said)) == []


def test_decoded_captures_are_not_decoded_again() -> None:
    from dataclasses import replace

    stream = decode(replace(capture(BODY, coding="gzip"), content_decoded=True))
    assert (stream.body, stream.faults) == (BODY, [])


@EACH
def test_a_coding_that_is_cut_gives_what_came(name: str) -> None:
    packed = PACK[name](BODY * 20)
    whole = capture(packed[:-12], coding=header(name))
    cut = capture(packed[:-12], coding=header(name), end="truncated")
    assert "coding" in codes(whole)
    assert "coding" not in codes(cut)


@pytest.mark.parametrize("step", [1, 50, 10_000])
def test_broken_bytes_end_decoding_at_the_same_place_however_they_are_cut(step: int) -> None:
    packer = zlib.compressobj(wbits=31)
    good = packer.compress(sse(chunk("a"))) + packer.flush(zlib.Z_SYNC_FLUSH)
    body = good + b"\xff\xff\xff\xff" + gzip.compress(BODY)
    stream = decode(capture(list(pieces(body, range(step, len(body), step))), coding="gzip"))
    assert stream.body == sse(chunk("a"))
    assert [f.code for f in stream.faults] == ["coding"]


def test_bytes_after_the_end_are_a_fault() -> None:
    assert codes(capture(gzip.compress(BODY) + b"<html>", coding="gzip")) == ["coding"]
    assert codes(capture(gzip.compress(BODY) + b"\0\0\0", coding="gzip")) == []


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_a_bomb_ends_in_a_fault_and_not_in_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding_module, "FLOOR", 2_000_000)
    bomb = PACK[name](b"data: \n\n" + b"a" * 60_000_000)
    decoder = ContentDecoder(name)
    tracemalloc.start()
    out = sum(len(decoder.feed(part)) for part in pieces(bomb, range(4096, len(bomb), 4096)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [f.code for f in decoder.faults] == ["bomb"]
    assert out < 15_000_000
    assert peak < 30_000_000


def test_text_that_repeats_itself_is_no_bomb() -> None:
    assert codes(capture(gzip.compress(sse(*[chunk("the same ")] * 5000)), coding="gzip")) == []


@given(st.binary(max_size=60), st.sampled_from(["gzip", "deflate", "br", "zstd"]), cuttings)
def test_any_bytes_under_any_header_end_in_faults_only(body: bytes, name: str, cuts: list[int]) -> None:
    decoder = ContentDecoder(name)
    for part in pieces(body, cuts):
        decoder.feed(part)
    decoder.close(True)
    assert {f.code for f in decoder.faults} <= {"coding", "coding-header", "gzip-members"}
