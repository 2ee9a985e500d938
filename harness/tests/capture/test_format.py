"""Capture files: exact round trips, defaults, and one clear sentence for every bad input."""

import json
from array import array

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.capture.format import LIMIT, check_size, dumps, load_lines, loads
from harness.capture.model import Capture, stamped
from harness.errors import CaptureError
from harness.tests.capture.strategies import captures, finite, json_values

OPENING = b'{"capture": 1, "hop": "gateway"}\n'


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(captures())
def test_what_is_written_reads_back_equal(capture: Capture) -> None:
    assert loads(dumps(capture)) == capture


@given(st.binary())
def test_arbitrary_bytes_raise_nothing_but_capture_error(data: bytes) -> None:
    try:
        loads(data)
    except CaptureError as error:
        assert "line" in error.where


@given(
    st.lists(
        json_values
        | st.fixed_dictionaries(
            {"t": finite},
            optional={
                "upto": json_values,
                "b64": st.text(),
                "data": st.text(),
                "status": json_values,
                "end": json_values,
            },
        ),
        max_size=4,
    )
)
def test_arbitrary_json_lines_raise_nothing_but_capture_error(values: list) -> None:
    try:
        capture = loads(OPENING + b"".join(json.dumps(value).encode() + b"\n" for value in values))
    except CaptureError as error:
        assert error.where.startswith("line ")
    else:
        assert loads(dumps(capture)) == capture


def test_defaults_come_from_the_hop_name() -> None:
    capture = loads(b'{"capture": 1, "hop": "proxy-2"}')
    assert (capture.kind, capture.tap, capture.wire) == ("proxy", "read", "")
    assert (capture.head, capture.end, capture.body, len(capture.times)) == (None, None, b"", 0)
    assert loads(b'{"capture": 1, "hop": "my-nginx"}').kind == "client"


def test_unknown_keys_survive_on_every_line() -> None:
    lines = [
        {"capture": 1, "hop": "engine", "lot": 7},
        {"t": 1.0, "status": 200, "via": "x"},
        {"t": 2.0, "data": "a", "seq": 2**80},
        {"t": 3.0, "data": "b"},
        {"t": 4.0, "end": "complete", "why": [1]},
    ]
    capture = loads(b"\n".join(json.dumps(line).encode() for line in lines))
    again = [json.loads(line) for line in dumps(capture).splitlines()]
    assert again[0]["lot"] == 7 and again[1]["via"] == "x" and again[2]["seq"] == 2**80 and again[4]["why"] == [1]
    assert capture.read_extra == {0: {"seq": 2**80}}


def test_bytes_that_are_not_whole_text_are_kept_as_base64() -> None:
    body, times, ends = stamped([(1.0, "é".encode()[:1]), (2.0, "é".encode()[1:]), (3.0, "é".encode())])
    written = dumps(Capture("engine", body=body, times=times, ends=ends)).splitlines()
    assert [next(k for k in json.loads(line) if k != "t") for line in written[1:]] == ["b64", "b64", "data"]


def test_stamps_without_bytes_have_no_body() -> None:
    capture = loads(OPENING + b'{"t": 1, "upto": 5}\n{"t": 2, "upto": 9}\n')
    assert capture.body is None and list(capture.ends) == [5, 9]


def test_a_stamp_amid_reads_brings_nothing_and_is_written_back() -> None:
    data = OPENING + b'{"t": 1, "data": "abc"}\n{"t": 2, "upto": 2}\n{"t": 3, "data": "d"}\n'
    capture = loads(data)
    assert capture.body == b"abcd" and list(capture.ends) == [3, 3, 4]
    assert [json.loads(line) for line in dumps(capture).splitlines()[1:]] == [
        {"t": 1.0, "data": "abc"}, {"t": 2.0, "upto": 2}, {"t": 3.0, "data": "d"},
    ]  # fmt: skip


def test_time_that_runs_backwards_is_kept() -> None:
    assert loads(OPENING + b'{"t": 9, "data": "a"}\n{"t": 2, "data": "b"}').times == array("d", [9, 2])


@pytest.mark.parametrize(
    "sent_at",
    ["2026-11-30T12:00:00Z", "2026-11-30t12:00:00.123456789z", "2026-11-30 12:00:00.1+05:30", "0001-01-01T00:00:00Z"],
)
def test_every_date_and_time_with_an_offset_is_taken(sent_at: str) -> None:
    data = b'{"capture": 1, "hop": "x", "sent_at": "%s"}' % sent_at.encode()
    assert loads(data).sent_at == sent_at


def test_byte_order_mark_blank_lines_and_crlf_are_tolerated() -> None:
    assert loads(b"\xef\xbb\xbf" + OPENING + b'\r\n\n{"t": 1, "data": "\xe2\x80\xa8"}\r\n').body == "\u2028".encode()


BAD = {
    "empty": (b"", 1, "the file is empty"),
    "only blank": (b"\n\n", 1, "the file is empty"),
    "binary": (b"\x7fELF\x00\xff", 1, "not UTF-8"),
    "cut off": (OPENING + b'{"t": 1, "data": "he', 2, "cut off"),
    "another version": (b'{"capture": 2, "hop": "x"}', 1, 'expected "capture": 1'),
    "true is no version": (b'{"capture": true, "hop": "x"}', 1, 'expected "capture": 1'),
    "no capture": (b'{"log": {}}', 1, "not a capture file"),
    "no hop": (b'{"capture": 1}', 1, 'expected "hop"'),
    "odd kind": (b'{"capture": 1, "hop": "x", "kind": "router"}', 1, '"kind" to be one of engine'),
    "NaN stamp": (OPENING + b'{"t": NaN, "data": "x"}', 2, "NaN"),
    "number without end": (OPENING + b'{"t": 1' + b"0" * 5000 + b"}", 2, "thousands of digits"),
    "stamp out of range": (OPENING + b'{"t": 1e999, "data": "x"}', 2, "out of range"),
    "negative stamp": (OPENING + b'{"t": -0.5, "data": "x"}', 2, 'expected "t" to be milliseconds since the request, '
                       "from 0 up, found -0.5"),
    "negative stamp amid reads": (OPENING + b'{"t": 1.5, "data": "x"}\n{"t": -1.5, "data": "x"}', 3, "from 0 up"),
    "time of day as a stamp": (OPENING + b'{"t": 1764504000000, "upto": 1}', 2, "looks like a time of day"),
    "huge stamp": (OPENING + b'{"t": 1.5, "data": "x"}\n{"t": 1e300, "data": "x"}', 3, "at most 1e10, found 1e+300"),
    "Infinity": (OPENING + b'{"t": 1.5, "data": "x"}\n{"t": Infinity, "data": "x"}', 3, "Infinity is no JSON number"),
    "true as a stamp": (OPENING + b'{"t": true, "data": "x"}', 2, '"t" to be a finite number, found true'),
    "status as text": (OPENING + b'{"t": 1, "status": "200"}', 2, '"status" to be a whole number, found "200"'),
    "status as float": (OPENING + b'{"t": 1, "status": 200.5}', 2, '"status" to be a whole number'),
    "status true": (OPENING + b'{"t": 1, "status": true}', 2, '"status" to be a whole number, found true'),
    "no such status": (OPENING + b'{"t": 1, "status": 7}', 2, "from 100 to 999, found 7"),
    "upto as float": (OPENING + b'{"t": 1, "upto": 1.5}', 2, '"upto" to be a whole number from 0 up'),
    "negative upto": (OPENING + b'{"t": 1, "upto": -1}', 2, "from 0 up, found -1"),
    "huge upto": (OPENING + b'{"t": 1, "upto": 1e30}', 2, '"upto" to be a whole number'),
    "stamp shrinks amid reads": (OPENING + b'{"t": 1, "data": "abc"}\n{"t": 1, "upto": 3}\n{"t": 1, "upto": 2}', 4,
                                 "at least 3"),
    "sent_at in words": (b'{"capture": 1, "hop": "x", "sent_at": "yesterday"}', 1,
                         'like 2026-11-30T12:00:00.123Z, found "yesterday"'),
    "sent_at without a time": (b'{"capture": 1, "hop": "x", "sent_at": "2026-11-30"}', 1, "a date and time like"),
    "sent_at without an offset": (b'{"capture": 1, "hop": "x", "sent_at": "2026-11-30T12:00:00"}', 1, "a date and"),
    "sent_at on no day": (b'{"capture": 1, "hop": "x", "sent_at": "2026-02-30T12:00:00Z"}', 1, "a date and time like"),
    "sent_at in year 0": (b'{"capture": 1, "hop": "x", "sent_at": "0000-01-01T00:00:00Z"}', 1, "a date and time like"),
    "sent_at as a number": (b'{"capture": 1, "hop": "x", "sent_at": 1764504000}', 1, '"sent_at" to be text'),
    "sent_at empty": (b'{"capture": 1, "hop": "x", "sent_at": ""}', 1, 'found ""'),
    "negative uncertainty": (b'{"capture": 1, "hop": "x", "clock": {"uncertainty_ms": -1}}', 1, "from 0 up, found -1"),
    "offset of an age": (b'{"capture": 1, "hop": "x", "clock": {"offset_ms": 3e13}}', 1, "three centuries"),
    "repeat as text": (b'{"capture": 1, "hop": "x", "repeat": "1"}', 1, '"repeat" to be a whole number from 0 up'),
    "stamp as text": (OPENING + b'{"t": "1", "data": "x"}', 2, '"t" to be a finite number'),
    "no stamp": (OPENING + b'{"data": "x"}', 2, '"t" to be a finite number, found none'),
    "list": (OPENING + b"[1]", 2, "expected one JSON object, found [1]"),
    "nothing known": (OPENING + b'{"t": 1}', 2, "exactly one of"),
    "both data and b64": (OPENING + b'{"t": 1, "data": "", "b64": ""}', 2, "exactly one of"),
    "bad base64": (OPENING + b'{"t": 1, "b64": "*"}', 2, "base64"),
    "lone surrogate": (OPENING + b'{"t": 1, "data": "\\ud800"}', 2, "surrogate"),
    "two heads": (OPENING + b'{"t": 1, "status": 200}\n{"t": 1, "status": 200}', 3, "once"),
    "head after a read": (OPENING + b'{"t": 1, "data": ""}\n{"t": 1, "status": 200}', 3, "before the first read"),
    "after the end": (OPENING + b'{"t": 1, "end": "open"}\n{"t": 1, "data": ""}', 3, "nothing after"),
    "odd end": (OPENING + b'{"t": 1, "end": "done"}', 2, '"end" to be one of complete'),
    "headers as object": (OPENING + b'{"t": 1, "status": 200, "headers": {}}', 2, "pairs"),
    "stamp shrinks": (OPENING + b'{"t": 1, "upto": 5}\n{"t": 1, "upto": 4}', 3, "at least 5"),
    "stamp past the bytes": (OPENING + b'{"t": 1, "data": "ab"}\n{"t": 1, "upto": 4}', 3, "at most 2"),
    "bytes after stamps": (OPENING + b'{"t": 1, "upto": 5}\n{"t": 1, "data": "x"}', 3, "elsewhere"),
    "second capture": (OPENING + OPENING, 2, "second capture"),
    "deep nesting": (b"[" * 100_000, 1, "nested too deep"),
    "deep nesting in a read": (OPENING + b'{"t": 1, "x": ' + b"[" * 100_000, 2, "nested too deep"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "line", "expected"), BAD.values(), ids=BAD.keys())
def test_bad_input_gets_one_sentence_with_file_and_line(data: bytes, line: int, expected: str) -> None:
    with pytest.raises(CaptureError) as caught:
        loads(data, "x.capture.jsonl")
    assert caught.value.where == f"x.capture.jsonl, line {line}"
    assert expected in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_above_the_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(CaptureError, match=r"big\.jsonl: the file has 2,147,483,648 bytes, more than the 512 MiB"):
        check_size(2 * 1024**3, "big.jsonl")
    check_size(LIMIT)


def test_lines_may_come_one_by_one() -> None:
    data = OPENING + b'{"t": 1, "data": "a"}\n'
    assert load_lines(iter(data.splitlines(keepends=True))) == loads(data)


def test_what_json_cannot_hold_is_refused_when_written() -> None:
    with pytest.raises(CaptureError, match="JSON"):
        dumps(Capture("engine", meta={"x": float("nan")}))
