"""What was uploaded for a job: bounded, refused with a sentence, kept until it is read, put in its place."""

from pathlib import Path
from typing import Any

import pytest

from harness.capture.model import Capture
from harness.errors import CaptureError, InputError, LimitExceeded
from harness.runs import uploads
from harness.runs.uploads import Recording

TRACE = Path(__file__).parents[1] / "capture" / "fixtures" / "chunked.trace.txt"


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path


def test_a_curl_trace_is_kept_read_back_and_dropped() -> None:
    recording = Recording("gateway.trace", TRACE.read_bytes())
    uploads.check([recording])
    files = uploads.keep("j", [recording])
    assert [c.hop for c in uploads.read("j", files)] == ["gateway"]
    uploads.drop("j")
    with pytest.raises(InputError, match="Upload it again"):
        uploads.read("j", files)


@pytest.mark.parametrize(
    ("recordings", "error", "words"),
    [
        ([Recording("a.txt", b"")], CaptureError, "empty"),
        ([Recording("a.txt", b"<html>502</html>")], CaptureError, "a page"),
        ([Recording("a.pcap", b"\xd4\xc3\xb2\xa1" + bytes(20))], CaptureError, "packet capture"),
        ([Recording("a", b"x" * (uploads.TOTAL // 2 + 1))] * 2, LimitExceeded, "32 MiB"),
        ([Recording("a", b"x")] * (uploads.MOST + 1), LimitExceeded, "33 files"),
    ],
    ids=["empty", "page", "packets", "too-large", "too-many"],
)
def test_what_cannot_be_used_is_refused_at_once(
    recordings: list[Recording], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        uploads.check(recordings)


def test_recordings_of_repeats_go_to_their_rounds_and_what_is_too_many_is_left() -> None:
    base = [Capture(hop, hop, repeat=n) for n in (0, 1) for hop in ("engine", "gateway")]
    new = [Capture("engine", meta={"n": n}) for n in range(3)]
    found = uploads.brought_in(base, new, [["engine", "engine"], ["gateway", "gateway"]])
    assert [(c.hop, c.repeat, c.meta.get("n")) for c in found] == [
        ("engine", 0, 0), ("gateway", 0, None), ("engine", 1, 1), ("gateway", 1, None),
    ]  # fmt: skip


def test_a_hop_that_the_route_lacks_goes_outermost() -> None:
    found = uploads.brought_in([Capture("engine", "engine")], [Capture("proxy-1")], [["engine", "engine"]])
    assert [(c.hop, c.kind) for c in found] == [("engine", "engine"), ("proxy-1", "proxy")]


def test_captures_are_ordered_by_kind_only_where_each_tells_one() -> None:
    known = [Capture("b", "browser", "paint"), Capture("b", "browser", "arrive"), Capture("e", "engine", "read")]
    assert [c.tap for c in uploads.inside_out(known)] == ["read", "arrive", "paint"]
    mixed = [Capture("p", "proxy"), Capture("trace", "client"), Capture("e", "engine")]
    assert uploads.inside_out(mixed) == mixed
