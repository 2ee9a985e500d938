"""Compressed recordings and UTF-16 read as if they were plain; what is broken or too long is one sentence."""

import gzip
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from harness.capture.packed import unpacked
from harness.capture.sniff import load_any, stem
from harness.errors import CaptureError

TRACE = (Path(__file__).parent / "fixtures" / "chunked.trace.txt").read_bytes()
LIMIT = 1 << 20
ZSTD = zstandard.compress
FORMS = {
    "gzip": gzip.compress(TRACE),
    "gzip in members": gzip.compress(TRACE[:700]) + gzip.compress(TRACE[700:]),
    "gzip with a tail of zeros": gzip.compress(TRACE) + bytes(512),
    "gzip twice": gzip.compress(gzip.compress(TRACE)),
    "zstd": ZSTD(TRACE),
    "zstd in frames": ZSTD(TRACE[:700]) + ZSTD(TRACE[700:]),
    "UTF-16 of PowerShell": TRACE.decode().replace("\n", "\r\n").encode("utf-16"),
    "UTF-16 big-endian": b"\xfe\xff" + TRACE.decode().encode("utf-16-be"),
    "UTF-16 without its mark": TRACE.decode().encode("utf-16-le"),
    "UTF-16 big-endian without its mark": TRACE.decode().encode("utf-16-be"),
    "plain": TRACE,
}


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS.keys())
def test_a_recording_reads_the_same_however_it_was_saved(data: bytes) -> None:
    assert load_any(data, "engine.trace.gz") == load_any(TRACE, "engine")
    assert unpacked(data, "x", LIMIT).replace(b"\r\n", b"\n") == TRACE.replace(b"\r\n", b"\n")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (gzip.compress(TRACE)[:-20], "the gzip file is cut off"),
        (gzip.compress(TRACE)[:60] + b"\xff" * 40, "the gzip file is damaged"),
        (b"\x1f\x8b", "the gzip file is cut off"),
        (ZSTD(TRACE)[:9] + b"\xff" * 40, "the zstd file is damaged"),
        (gzip.compress(bytes(LIMIT + 1)), "unpacks to more than the 1 MiB"),
        (ZSTD(bytes(LIMIT + 1)), "unpacks to more than the 1 MiB"),
        (b"PK\x03\x04abc", "a zip archive"),
        (b"BZh91AY", "compressed by bzip2"),
        (b"\xfd7zXZ\0\0", "compressed by xz"),
        (b"\xff\xfea\0b", "UTF-16 that is cut off"),
    ],
    ids=[
        "gzip cut", "gzip damaged", "gzip begun", "zstd damaged", "gzip bomb", "zstd bomb", "zip", "bzip2", "xz",
        "UTF-16 cut",
    ],  # its time stands in a gzip file, so bytes make no names
)  # fmt: skip
def test_what_cannot_be_unpacked_is_one_sentence(data: bytes, expected: str) -> None:
    with pytest.raises(CaptureError, match=expected) as caught:
        unpacked(data, "f", LIMIT)
    assert caught.value.where == "f"


@given(st.sampled_from([b"", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\xff\xfe"]), st.binary())
def test_arbitrary_bytes_raise_nothing_but_capture_error(start: bytes, data: bytes) -> None:
    with suppress(CaptureError):
        unpacked(start + data, "x", LIMIT)


def test_the_hop_is_named_without_the_packing() -> None:
    assert stem("a/gateway.har.gz") == stem("gateway.trace.zst") == "gateway"
