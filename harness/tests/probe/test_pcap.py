"""Packet captures through the real tshark."""

import gzip
import shutil
from pathlib import Path

import pytest

from harness.errors import CaptureError, InputError
from harness.probe.pcap import load_pcap
from harness.probe.recording import read_recording

FIVE = Path(__file__).parent.parent / "capture" / "fixtures" / "five.pcap"
EVENTS = [f'data: {{"choices":[{{"index":0,"delta":{{"content":"w{i} é"}}}}]}}\n\n'.encode() for i in range(5)]
needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark: apt-get install tshark")


@needs_tshark
def test_every_exchange_comes_with_its_reads_and_its_end() -> None:
    captures = load_pcap(FIVE, "engine")
    assert [capture.end.kind for capture in captures if capture.end] == [
        "complete",
        "truncated",
        "reset",
        "complete",
        "aborted",
    ]
    assert [len(capture.times) for capture in captures] == [5, 3, 3, 5, 2]
    assert [capture.repeat for capture in captures] == [0, 1, 2, 3, 4]
    for capture in captures:
        assert [data for _, data in capture.reads()] == EVENTS[: len(capture.times)]
        assert capture.request is not None and capture.request.body == {"a": 1}
        assert capture.head is not None and capture.head.status == 200
    assert captures[0].request is not None and ("authorization", "Bearer ***") in captures[0].request.headers
    assert captures[0].sent_at == "2026-11-30T15:00:27.848280Z"
    assert captures[0].times[0] == pytest.approx(31.76, abs=0.01)


@needs_tshark
def test_a_packet_capture_is_told_by_content_and_one_exchange_can_be_chosen() -> None:
    (capture,) = read_recording(FIVE, entry=2)
    assert (capture.hop, capture.repeat) == ("five", None) and capture.end is not None and capture.end.kind == "reset"
    with pytest.raises(CaptureError, match="no entry 9"):
        read_recording(FIVE, entry=9)


@needs_tshark
def test_a_capture_that_was_cut_off_gives_what_came_before(tmp_path: Path) -> None:
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(FIVE.read_bytes()[:3000])
    assert 1 <= len(load_pcap(cut, "engine")) < 5


@needs_tshark
def test_packets_without_http_are_refused_in_one_sentence(tmp_path: Path) -> None:
    empty = tmp_path / "none.pcap"
    empty.write_bytes(FIVE.read_bytes()[:250])
    with pytest.raises(CaptureError, match=r"no HTTP/1\.1 request in it"):
        load_pcap(empty, "engine")


@needs_tshark
def test_packets_that_were_cut_are_refused(tmp_path: Path) -> None:
    short, data, at = bytearray(FIVE.read_bytes()[:24]), FIVE.read_bytes(), 24
    while at < len(data):  # each packet's header tells how much of it there is, then how long it was
        size = min(int.from_bytes(data[at + 8 : at + 12], "little"), 96)
        short += data[at : at + 8] + size.to_bytes(4, "little") + data[at + 12 : at + 16 + size]
        at += 16 + int.from_bytes(data[at + 8 : at + 12], "little")
    (tmp_path / "short.pcap").write_bytes(short)
    with pytest.raises(CaptureError, match=r"short\.pcap: its packets were cut after 96 bytes"):
        read_recording(tmp_path / "short.pcap")


@needs_tshark
def test_a_packed_packet_capture_is_read_too(tmp_path: Path) -> None:
    packed = tmp_path / "engine.pcap.gz"
    packed.write_bytes(gzip.compress(FIVE.read_bytes()))
    assert read_recording(packed) == load_pcap(FIVE, "engine")


def test_without_tshark_the_reason_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(InputError, match="needs tshark"):
        read_recording(FIVE)


@pytest.mark.parametrize(
    ("name", "reason"), [("", "found a folder"), ("nothing", "no such file"), ("a\0b", "cannot be read")]
)
def test_files_that_are_none_are_refused(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        read_recording(tmp_path / name)


def test_a_file_above_the_limit_is_refused_unread(tmp_path: Path) -> None:
    big = tmp_path / "big.capture.jsonl"
    with big.open("wb") as file:
        file.truncate(2 * 1024**3)
    with pytest.raises(CaptureError, match="more than the 512 MiB"):
        read_recording(big)
