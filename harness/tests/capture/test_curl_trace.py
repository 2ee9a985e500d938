"""curl traces, as curl 7.88 wrote them: every exchange, read and end of theirs, and nothing of the noise."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.capture.curl_ends import end_of, unreached
from harness.capture.curl_trace import load_curl_trace
from harness.capture.model import Capture
from harness.errors import CaptureError

FIXTURES = Path(__file__).parent / "fixtures"
EVENTS = [f'data: {{"choices":[{{"index":0,"delta":{{"content":"w{i} é"}}}}]}}\n\n'.encode() for i in range(5)]


def load(name: str) -> list[Capture]:
    return load_curl_trace((FIXTURES / name).read_bytes(), name, "gateway")


@pytest.mark.parametrize(
    ("name", "http", "url"),
    [
        ("chunked.trace.txt", "1.1", "http://127.0.0.1:18961/chunked"),
        ("continue.trace.txt", "1.1", "http://127.0.0.1:18961/chunked"),
        ("trailer.trace.txt", "1.1", "http://127.0.0.1:18961/trailer"),
        ("redirect.trace.txt", "1.1", "http://127.0.0.1:18961/chunked"),
        ("connect.trace.txt", "2", "https://localhost:18962/chunked"),
        ("h2.trace.txt", "2", "https://localhost:18962/chunked"),
    ],
)
def test_one_read_an_event_without_framing_or_noise(name: str, http: str, url: str) -> None:
    (capture,) = load(name)
    assert [data for _, data in capture.reads()] == EVENTS
    assert capture.head is not None and (capture.head.status, capture.head.http) == (200, http)
    assert capture.head.get("content-type") == "text/event-stream"
    assert capture.end is not None and capture.end.kind == "complete"
    assert capture.request is not None and (capture.request.method, capture.request.url) == ("POST", url)
    assert capture.request.body == {"a": 1}
    assert (capture.hop, capture.kind, capture.tap, capture.repeat) == ("gateway", "gateway", "read", None)
    gaps = [later - earlier for earlier, later in zip(capture.times, capture.times[1:], strict=False)]
    assert all(29 < gap < 40 for gap in gaps), "the source wrote an event each 30 ms"


def test_times_count_from_the_request() -> None:
    (capture,) = load("chunked.trace.txt")
    assert list(capture.times) == [33.795, 64.259, 95.928, 127.637, 158.444]
    assert capture.head is not None and capture.head.t == 2.127 and capture.end is not None and capture.end.t == 189.478
    assert capture.meta["local_time"] == "14:50:55.997932"


def test_a_redirect_is_only_the_way_to_the_answer() -> None:
    assert load("redirect.trace.txt")[0].meta["passed"] == ["307 http://127.0.0.1:18961/redirect"]


def test_secrets_are_masked_on_import() -> None:
    for capture in load("two.ascii.txt"):
        assert capture.request is not None and ("authorization", "***") in capture.request.headers


def test_content_coding_is_left_alone() -> None:
    (capture,) = load("gz1.trace.txt")
    assert capture.body is not None and capture.body.startswith(b"\x1f\x8b") and not capture.content_decoded
    assert len(capture.times) == 7


@pytest.mark.parametrize("name", ["split.ascii.txt", "terminal.ascii.txt"])
def test_an_ascii_trace_keeps_the_lines_and_says_what_it_lost(name: str) -> None:
    (capture,) = load(name)
    assert capture.body == b"".join(EVENTS).replace("é".encode(), b"..")
    assert "--trace" in capture.meta["lossy"] and capture.meta["source"] == "curl --trace-ascii"


def test_several_exchanges_in_one_file_become_repeats() -> None:
    first, second = load("two.ascii.txt")
    assert (first.repeat, second.repeat) == (0, 1)
    assert first.body == second.body and second.end is not None and second.end.kind == "complete"


@pytest.mark.parametrize(
    ("name", "end", "detail"),
    [
        ("refused.trace.txt", "reset", "Failed to connect"),
        ("aborted.ascii.txt", "aborted", "Failure writing output"),
        ("h2-cut.trace.txt", "reset", "was not closed cleanly"),
    ],
)
def test_ends_are_told_by_curl(name: str, end: str, detail: str) -> None:
    (capture,) = load(name)
    assert capture.end is not None and capture.end.kind == end and detail in capture.end.detail


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("transfer closed with outstanding read data remaining", "truncated"),
        ("end of response with 122 bytes missing", "truncated"),
        ("OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0", "truncated"),
        ("Recv failure: Connection reset by peer", "reset"),
        ("OpenSSL SSL_read: Connection reset by peer, errno 104", "reset"),
        ("HTTP/2 stream 1 was not closed cleanly before end of the underlying stream", "truncated"),
        ("Operation timed out after 1000 milliseconds with 183 bytes received", "timeout"),
        ("Operation too slow. Less than 1 bytes/sec transferred the last 5 seconds", "timeout"),
        ("Closing connection 0", "truncated"),
        ("nothing that tells", "open"),
    ],
)
def test_a_cut_body_ends_as_curl_words_it(words: str, end: str) -> None:
    data = (FIXTURES / "chunked.trace.txt").read_bytes()
    cut = data[: data.index(b"14:50:56.187410")] + b"14:50:56.200000 == Info: " + words.encode() + b"\n"
    (capture,) = load_curl_trace(cut)
    assert capture.end is not None and capture.end.kind == end and len(capture.times) == 5


def test_midnight_does_not_turn_time_back() -> None:
    text = (
        (FIXTURES / "chunked.trace.txt").read_text().replace("14:50:55.", "23:59:59.").replace("14:50:56.", "00:00:00.")
    )
    (capture,) = load_curl_trace(text.encode())
    assert list(capture.times) == [33.795, 64.259, 95.928, 127.637, 158.444]


def test_trace_ids_keep_parallel_transfers_apart() -> None:
    lines = (FIXTURES / "chunked.trace.txt").read_text().splitlines(keepends=True)
    records: list[list[str]] = []
    for line in lines:
        records.append([line]) if line.startswith("14:") else records[-1].append(line)
    mixed = "".join(
        "".join([record[0][:16] + f"[{i}-{i}] " + record[0][16:], *record[1:]]) for record in records for i in (0, 1)
    )
    captures = load_curl_trace(mixed.encode())
    assert [capture.body for capture in captures] == [b"".join(EVENTS)] * 2


def test_a_body_that_is_shown_unframed_is_taken_as_it_is() -> None:
    data = (FIXTURES / "h2.trace.txt").read_bytes()
    chunked = "Transfer-Encoding: chunked"
    dump = f"14:53:50.825681 <= Recv header, {len(chunked) + 2} bytes (0x1c)\n0000: {chunked.encode().hex(' ', 1)[:47]}"
    dump += f" {chunked[:16]}\n0010: {(chunked[16:] + chr(13) + chr(10)).encode().hex(' ', 1):47} {chunked[16:]}..\n"
    data = data.replace(b"48 54 54 50 2f 32 20 32 30 30 20 0d 0a", b"48 54 54 50 2f 31 20 32 30 30 20 0d 0a")
    at = data.index(b"14:53:50.825681")
    (capture,) = load_curl_trace(data[:at] + dump.encode() + data[at:])
    assert capture.head is not None and capture.head.get("transfer-encoding") == "chunked"
    assert [data for _, data in capture.reads()] == EVENTS
    assert capture.end is not None and capture.end.kind == "complete"


@pytest.mark.parametrize(
    "words", ["SSL certificate verified via OpenSSL.", " SSL certificate verify ok.", "ALPN: server accepted h2"]
)
def test_good_news_about_certificates_is_no_failure(words: str) -> None:
    assert not unreached(words) and not end_of(words)


def test_windows_line_ends_change_nothing() -> None:
    data = (FIXTURES / "chunked.trace.txt").read_bytes()
    assert load_curl_trace(data.replace(b"\n", b"\r\n")) == load_curl_trace(data)


def test_a_trace_that_is_still_being_written_ends_open() -> None:
    data = (FIXTURES / "chunked.trace.txt").read_bytes()
    for size in range(data.index(b"<= Recv data"), len(data) - 400, 37):
        (capture,) = load_curl_trace(data[:size])
        assert capture.end is not None and capture.end.kind == "open"
        assert capture.body is not None and b"".join(EVENTS).startswith(capture.body)


def test_a_trace_without_times_is_read_without_them() -> None:
    data = untimed((FIXTURES / "chunked.trace.txt").read_bytes())
    (capture,) = load_curl_trace(data)
    assert [data for _, data in capture.reads()] == EVENTS and set(capture.times) == {0.0}
    assert capture.meta["timed"] is False and "--trace-time" in capture.meta["note"]
    assert capture.clock is None and capture.end is not None and capture.end.kind == "complete"


def test_two_transfers_at_once_without_ids_are_not_guessed_apart() -> None:
    lines = (FIXTURES / "chunked.trace.txt").read_bytes().splitlines(keepends=True)
    sent = next(number for number, line in enumerate(lines) if b"=> Send header" in line)
    got = next(number for number, line in enumerate(lines) if b"<= Recv header" in line)
    amid = next(number for number, line in enumerate(lines) if b"<= Recv data" in line) + 8
    for at in (got, amid):
        both = b"".join([*lines[:at], *lines[sent:got], *lines[at:]])
        with pytest.raises(CaptureError, match="--trace-ids") as caught:
            load_curl_trace(both, "t")
        assert caught.value.where == f"t, line {at + 1}"


def test_a_body_and_a_meter_on_the_same_terminal_are_passed_by() -> None:
    data = (FIXTURES / "chunked.trace.txt").read_bytes()
    meter = b"\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"
    noisy = data.replace(b"14:50:56", meter + b"14:50:56").replace(b"<= Recv data", b"<= Recv data")
    glued = re.sub(rb"(?m)^(?=14:50:56.*<= Recv data)", b'data: {"choices": half a line', data)
    title = b"  % Total    % Received % Xferd\n                                 Dload  Upload\n"
    assert load_curl_trace(title + noisy) == load_curl_trace(glued) == load_curl_trace(data)


@pytest.mark.parametrize(
    "words",
    [
        "[HTTP/2] [1] <- FRAME[RST_STREAM, len=4, flags=0, error=0]",
        "[HTTP/2] [0] <- FRAME[GOAWAY, error=0, reason='', last_stream=1]",
        "[HTTP/2] [1] -> FRAME[RST_STREAM, len=4, flags=0, error=8]",
        "[TCP] recv(len=16384) -> 0, err=0",
        "[SSL] ossl_bio_cf_in_read(len=5) -> -1, err=81",
    ],
)
def test_curls_own_workings_end_nothing(words: str) -> None:
    """What ``--trace-config all`` adds; where something broke, curl says so in plain words too."""
    assert not end_of(words) and not unreached(words)


def test_a_clock_that_was_set_back_makes_no_time_before_the_request() -> None:
    data = (FIXTURES / "chunked.trace.txt").read_bytes()
    (capture,) = load_curl_trace(data.replace(b"14:50:56.", b"14:50:54."))
    assert capture.times[0] >= 0 and min(capture.times) == 0.0 and capture.end is not None and capture.end.t == 0.0


def untimed(data: bytes) -> bytes:
    return re.sub(rb"(?m)^14:[0-9:.]+ ", b"", data)


def half_timed(data: bytes) -> bytes:
    return re.sub(rb"(?m)^14:[0-9:.]+ (?=<=)", b"", data)


def a_row_short(data: bytes) -> bytes:
    return data.replace(b"0010: ", b"0030: ", 1)


def unasked(data: bytes) -> bytes:
    return data[: data.index(b"14:50:55.997932")]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [(half_timed, "some records have a time stamp"), (a_row_short, "at byte 0010"), (unasked, "no request")],
)
def test_what_cannot_be_read_is_refused_with_a_line(edit: Callable[[bytes], bytes], expected: str) -> None:
    with pytest.raises(CaptureError, match=expected) as caught:
        load_curl_trace(edit((FIXTURES / "chunked.trace.txt").read_bytes()), "t.txt")
    assert caught.value.where.startswith("t.txt, line ")


ALL = [path.read_bytes() for path in sorted(FIXTURES.glob("*.txt"))]


@given(st.sampled_from(ALL), st.integers(0, 20_000), st.integers(0, 300), st.binary(max_size=40))
def test_mutated_traces_raise_nothing_but_capture_error(data: bytes, at: int, cut: int, put: bytes) -> None:
    mutated = data[:at] + put + data[at + cut :]
    try:
        captures = load_curl_trace(mutated)
    except CaptureError:
        return
    for capture in captures:
        assert capture.body is not None and len(capture.body) == (capture.ends[-1] if capture.ends else 0)


@given(st.binary())
def test_arbitrary_bytes_raise_nothing_but_capture_error(data: bytes) -> None:
    with pytest.raises(CaptureError):
        load_curl_trace(data)
