"""Frames: what is understood, and with which stable code the rest is refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.frames import MOST_BYTES, MOST_ROWS, BadFrame, Begin, ClockIs, Ended, Hello, Stamps, Sync, command, parse


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ({"type": "hello", "exchange": "x"}, Hello("x")),
        ({"type": "sync", "t0": 1}, Sync(1.0)),
        (
            {
                "type": "clock",
                "exchange": "x",
                "offset_ms": -2,
                "uncertainty_ms": 1,
                "resolution_ms": 0.1,
                "isolated": True,
            },
            ClockIs("x", -2.0, 1.0, 0.1, True),
        ),
        ({"type": "begin", "exchange": "x", "sent_at_ms": 1.5e12}, Begin("x", 1.5e12)),
        (
            {"type": "stamps", "exchange": "x", "tap": "paint", "rows": [[1, 2], [3.5, 4]]},
            Stamps("x", "paint", [(1.0, 2), (3.5, 4)]),
        ),
        (
            {"type": "end", "exchange": "x", "tap": "arrive", "t": 9, "end": "complete"},
            Ended("x", "arrive", 9.0, "complete", ""),
        ),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_each_frame_becomes_its_command(frame: dict[str, Any], expected: object) -> None:
    assert parse(json.dumps(frame)) == expected


STAMPS = {"type": "stamps", "exchange": "x", "tap": "arrive"}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("not-json", "{"),
        ("not-json", '{"type": "sync", "t0": NaN}'),
        ("bad-frame", "[]"),
        ("unknown-type", "{}"),
        ("unknown-type", '{"type": ["hello"]}'),
        ("unknown-type", '{"type": "frobnicate"}'),
        ("bad-frame", '{"type": "hello"}'),
        ("bad-frame", '{"type": "hello", "exchange": "../../etc"}'),
        ("bad-frame", '{"type": "sync", "t0": true}'),
        ("bad-frame", '{"type": "begin", "exchange": "x", "sent_at_ms": 1e300}'),
        ("bad-frame", '{"type": "end", "exchange": "x", "tap": "read", "t": 1, "end": "complete"}'),
        ("bad-frame", '{"type": "end", "exchange": "x", "tap": "arrive", "t": 1, "end": "fine"}'),
        ("bad-frame", json.dumps(STAMPS)),
        ("bad-frame", json.dumps(STAMPS | {"rows": [[1]]})),
        ("bad-frame", json.dumps(STAMPS | {"rows": [[1, 2.5]]})),
        ("bad-frame", json.dumps(STAMPS | {"rows": [[1, -1]]})),
        ("bad-frame", json.dumps(STAMPS | {"rows": [[1, True]]})),
        ("bad-frame", json.dumps(STAMPS | {"rows": [[1, 2]] * (MOST_ROWS + 1)})),
        ("too-large", " " * (MOST_BYTES + 1)),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_code(code: str, text: str) -> None:
    with pytest.raises(BadFrame) as caught:
        parse(text)
    assert caught.value.code == code and caught.value.what


def test_times_are_such_as_a_capture_may_hold() -> None:
    stamps = command(STAMPS | {"rows": [[-0.25, 1], [3.5, 2]]})
    assert isinstance(stamps, Stamps) and stamps.rows == [(0.0, 1), (3.5, 2)]
    end = command({"type": "end", "exchange": "x", "tap": "arrive", "t": -1, "end": "complete"})
    assert isinstance(end, Ended) and end.t == 0.0
    for late in (
        STAMPS | {"rows": [[1e12, 1]]},
        {"type": "end", "exchange": "x", "tap": "arrive", "t": 1e12, "end": "open"},
    ):
        with pytest.raises(BadFrame):
            command(late)


def test_a_posted_frame_may_leave_its_exchange_to_the_envelope() -> None:
    assert command({"type": "hello"}, "x") == Hello("x")


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(["hello", "sync", "clock", "begin", "stamps", "end"]), st.dictionaries(
    st.sampled_from(["exchange", "t0", "t", "tap", "rows", "end", "sent_at_ms", "offset_ms", "detail"]), json_values
))  # fmt: skip
def test_no_frame_raises_anything_but_a_refusal(kind: str, fields: dict[str, Any]) -> None:
    try:
        command({"type": kind, **fields})
    except BadFrame as error:
        assert error.code in ("bad-frame", "unknown-type")
