"""Values that are read together are those that each alone would be."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.wire import columns

PARTS = [
    b"1", b"-2", b"1.5", b"true", b"null", b'"', b"[", b"]", b"{", b"}", b",", b" ", b"\r", b"a", b"\\", b"\\ud83d",
    b'"content":', b'{"content":[{}]}', b"\xff", b"1e999", b"9" * 25,
]  # fmt: skip
RAW = st.lists(st.lists(st.sampled_from(PARTS), max_size=4).map(b"".join), max_size=6)


def alone(raw: bytes, quoted: bool) -> Any:
    """What the parser makes of one value; an exception where it is none."""
    if b"\r" in raw or b"\n" in raw:
        raise ValueError
    return orjson.loads(b'"' + raw + b'"' if quoted else raw)


@given(RAW, st.sampled_from(["texts", "quiet", "integers", "numbers", "values", "logprobs"]))
def test_only_whole_values_are_taken(raw: list[bytes], name: str) -> None:
    found = list(columns.leading(raw, getattr(columns, name)))
    expected = [alone(one, name in ("texts", "quiet")) for one in raw[: len(found)]]
    if name == "logprobs":
        assert found == [len(value["content"]) for value in expected]
    elif name == "values":
        assert found == raw[: len(found)]
    else:
        assert [(type(value), value) for value in found] == [(type(value), value) for value in expected]


@pytest.mark.parametrize(
    ("name", "raw", "count"),
    [
        ("texts", [b"a", b"b", b"", b"c"], 2),
        ("texts", [b"a", b"\xef\xbf\xbd"], 1),
        ("quiet", [b"", b"\xef\xbf\xbd", b'a","b', b"x"], 2),
        ("integers", [b"1", b"2", b"true"], 2),
        ("integers", [b"1", b"1" * 25], 1),
        ("numbers", [b"1.5", b"null", b"[1", b"2]", b"3,4"], 2),
        ("values", [b"[1", b"2]", b"[3],[4]"], 0),
        ("values", [b"[1]", b"[]"], 1),
        ("values", [b"[" * 1100 + b"]" * 1100], 0),
        ("logprobs", [b'{"content":[1,2]}', b'{"content":{}}'], 1),
    ],
)
def test_those_before_the_first_odd_one_are_taken(name: str, raw: list[bytes], count: int) -> None:
    assert len(columns.leading(raw, getattr(columns, name))) == count
