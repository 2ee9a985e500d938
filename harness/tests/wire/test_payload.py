"""Payloads that strict JSON refuses, read as a forgiving client reads them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.wire.payload import Broken, clean, parse


@pytest.mark.parametrize(
    ("payload", "value", "codes"),
    [
        (b'{"a":1}', {"a": 1}, []),
        (b"[NaN, -Infinity]", [None, None], ["json-nan"]),
        (b'"a\xffb"', "a\ufffdb", ["utf8"]),
        (b'"a\x02b"', "a\x02b", ["control"]),
        (b'"\\ud83d"', "\ud83d", ["surrogate"]),
        (b'{"\\udc00":1}', {"\udc00": 1}, ["surrogate"]),
        (b'["\xff", NaN, "\t"]', ["\ufffd", None, "\t"], ["utf8", "json-nan", "control"]),
        (b"1e999", float("inf"), []),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_was_wrong_is_told_and_the_value_is_had(payload: bytes, value: object, codes: list[str]) -> None:
    found, faults = parse(payload)
    assert found == value
    assert [code for code, _ in faults] == codes


@pytest.mark.parametrize("payload", [b"", b"{", b"data: {}", b"{'a':1}", b'{"a":1}{"a":1}', b"9" * 5000, b"\xff"])
def test_what_is_no_json_for_anybody_is_broken(payload: bytes) -> None:
    found, faults = parse(payload)
    assert isinstance(found, Broken)
    assert faults[-1][0] == "json"


@pytest.mark.parametrize("depth", [2000, 200_000])
def test_nesting_without_end_is_broken_or_read_but_never_a_crash(depth: int) -> None:
    parse(b"[" * depth + b"]" * depth)
    parse(b'{"a":' * depth)


@given(st.binary(max_size=60))
def test_no_bytes_raise(payload: bytes) -> None:
    parse(payload)


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(), st.lists, max_leaves=5))
def test_json_is_read_as_json(value: object) -> None:
    assert parse(json.dumps(value).encode()) == (value, [])


def test_clean_text_is_short_and_has_no_half_pairs() -> None:
    assert clean("a\ud83d" + "b" * 10, 4) == "a?bb"
