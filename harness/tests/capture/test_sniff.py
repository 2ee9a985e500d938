"""What a recording is, is told by its content; its name only names the hop."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.capture.format import dumps
from harness.capture.model import Capture
from harness.capture.sniff import is_pcap, load_any, stem
from harness.errors import CaptureError

FIXTURES = Path(__file__).parent / "fixtures"
CAPTURE = dumps(Capture("app", "app"))
HAR = json.dumps({"log": {"entries": [{
    "request": {"method": "POST", "url": "http://x/v1/chat/completions"},
    "response": {"status": 200, "content": {"text": "data: 1\n\n", "mimeType": "text/event-stream"}},
}]}}).encode()  # fmt: skip
TRACE = (FIXTURES / "chunked.trace.txt").read_bytes()


@pytest.mark.parametrize(
    ("data", "name", "hop"),
    [
        (CAPTURE, "whatever.har", "app"),
        (b"\xef\xbb\xbf" + CAPTURE, "x", "app"),
        (HAR, "gateway.har", "gateway"),
        (b"\n " + HAR, "/tmp/dir.d/gateway.har", "gateway"),
        (TRACE, "engine.trace.txt", "engine"),
        (b"some terminal noise\n" + TRACE, "proxy-2", "proxy-2"),
    ],
)
def test_the_format_is_told_by_content(data: bytes, name: str, hop: str) -> None:
    (capture,) = load_any(data, name)
    assert capture.hop == hop


@pytest.mark.parametrize("data", [CAPTURE, HAR, TRACE])
def test_a_given_hop_wins_and_brings_its_kind(data: bytes) -> None:
    (capture,) = load_any(data, "gateway.x", hop="proxy-1")
    assert (capture.hop, capture.kind) == ("proxy-1", "proxy")


def test_a_hop_whose_name_tells_no_kind_keeps_the_files() -> None:
    assert load_any(CAPTURE, hop="frontdoor")[0].kind == "app"


def test_a_capture_that_talks_of_log_is_no_har() -> None:
    assert load_any(dumps(Capture("app", meta={"log": "x"})))[0].meta == {"log": "x"}


def test_one_exchange_can_be_chosen() -> None:
    two = (FIXTURES / "two.ascii.txt").read_bytes()
    (second,) = load_any(two, "t", entry=1)
    assert second.repeat is None and second.request is not None and second.request.url.endswith("/eof")
    with pytest.raises(CaptureError, match="no entry 2: the file holds 2"):
        load_any(two, "t", entry=2)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"\x7fELF\0\0", "binary"),
        (b"hello", "format is unknown"),
        (b"id: 5\nname: x\nkind: y\n", "format is unknown"),
        (b"<!doctype html><h1>502</h1>", "a page"),
        (b'{"model": "m"}', "not a capture file"),
    ],
)
def test_what_is_no_recording_is_refused_in_one_sentence(data: bytes, expected: str) -> None:
    with pytest.raises(CaptureError, match=expected) as caught:
        load_any(data, "f.bin")
    assert caught.value.where == "f.bin, line 1"


@pytest.mark.parametrize(
    ("name", "hop"),
    [("gateway.capture.jsonl", "gateway"), ("a/b.d/qwen2.5.txt", "qwen2.5"), ("engine", "engine"), (".har", ".har")],
)
def test_the_stem_drops_folders_and_format_suffixes(name: str, hop: str) -> None:
    assert stem(name) == hop


def test_packet_captures_are_known_by_their_first_bytes() -> None:
    assert is_pcap((FIXTURES / "five.pcap").read_bytes()) and not is_pcap(TRACE)


@given(st.binary() | st.binary().map(lambda tail: CAPTURE + tail) | st.binary().map(lambda tail: HAR[:150] + tail))
def test_arbitrary_bytes_raise_nothing_but_capture_error(data: bytes) -> None:
    with suppress(CaptureError):
        load_any(data, "x")
