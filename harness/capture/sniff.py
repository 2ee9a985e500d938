"""Tell by content what a recording is, and read it: capture file, curl trace, HAR."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

from harness.capture.curl_blocks import looks_like_trace
from harness.capture.curl_trace import load_curl_trace
from harness.capture.format import LIMIT, check_size, loads
from harness.capture.har import load_har
from harness.capture.model import Capture, kind_of
from harness.capture.packed import unpacked
from harness.capture.saved import load_saved, looks_like_saved
from harness.errors import CaptureError

_SUFFIXES = frozenset({
    ".ascii", ".body", ".cap", ".capture", ".curl", ".gz", ".har", ".json", ".jsonl", ".log", ".pcap", ".pcapng",
    ".sse", ".trace", ".txt", ".zst",
})  # fmt: skip
_PCAP = (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x0a\x0d\x0d\x0a")
FORMATS = "a capture file, a curl trace, a HAR or a saved stream"


def load_any(data: bytes, name: str = "", hop: str = "", entry: int | None = None) -> list[Capture]:
    """The captures in a recording. ``name`` is its file name, for errors and for the hop.

    ``hop`` wins over what the file names; without it, imports take the file's stem. ``entry`` picks one exchange
    of several (0-based; in a HAR, of all its entries). Several exchanges in one file come as repeats. Raises
    CaptureError.
    """
    check_size(len(data), name)
    data = unpacked(data, name, LIMIT)
    if not data.strip():
        raise CaptureError("the file is empty", _first_line(name), f"Expected {FORMATS}")
    if is_pcap(data):
        raise CaptureError("a packet capture needs tshark to be read", name, "Name it to `convert` or `diagnose`")
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] == b"{" and _is_har(start):
        return load_har(data, name, hop or stem(name) or "har", entry)
    if start[:1] == b"{" and not looks_like_saved(start):
        return picked([named(loads(data, name), hop)], entry, name)
    if looks_like_trace(data):
        return picked(load_curl_trace(data, name, hop or stem(name) or "curl"), entry, name)
    if looks_like_saved(data):
        return picked(load_saved(data, name, hop or stem(name) or "saved"), entry, name)
    raise CaptureError(_refusal(data), _first_line(name), f"Expected {FORMATS}")


def picked(captures: list[Capture], entry: int | None, name: str = "") -> list[Capture]:
    """Exchange number ``entry`` (0-based) alone, as no repeat any more; all of them when it is None."""
    if entry is None:
        return captures
    if not 0 <= entry < len(captures):
        what = f"there is no entry {entry}: the file holds {len(captures)}"
        raise CaptureError(what, name, "Entries are counted from 0")
    return [replace(captures[entry], repeat=None) if len(captures) > 1 else captures[entry]]


def named(capture: Capture, hop: str) -> Capture:
    """The capture under another hop's name; its kind follows where the name tells one."""
    if not hop or hop == capture.hop:
        return capture
    kind = kind_of(hop)
    return replace(capture, hop=hop, kind=capture.kind if kind == "client" else kind)


def is_pcap(data: bytes) -> bool:
    """Whether the bytes begin like a packet capture (pcap or pcapng)."""
    return data[:4] in _PCAP


def stem(name: str) -> str:
    """A file's name without folder and format suffixes: ``a/gateway.trace.txt`` is ``gateway``."""
    path = PurePath(name)
    while path.suffix.lower() in _SUFFIXES:
        path = path.with_suffix("")
    return path.name


def _first_line(name: str) -> str:
    return f"{name}, line 1" if name else "line 1"


def _is_har(start: bytes) -> bool:
    """A HAR opens with ``{"log"``, or has it later; a capture's first line is an object of its own with ``capture``."""
    head = start[:4096]
    line = head.split(b"\n", 1)[0]
    if b'"capture"' in line and b'"log"' not in line:
        return False
    if b'"log"' in head:
        return b'"capture"' not in head.split(b'"log"', 1)[0]
    return b'"capture"' not in head and b'"log"' in start and b'"entries"' in start


def _refusal(data: bytes) -> str:
    if b"\0" in data[:4096]:
        return "the file is binary"
    if data.lstrip()[:1] == b"<":
        return "this is a page (HTML or XML) and no stream: save it with curl -i, so that its status is there too"
    return "the format is unknown"
