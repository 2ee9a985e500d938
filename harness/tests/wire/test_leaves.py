"""Where values stand in a JSON text."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.wire.leaves import leaves

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_each_leaf_is_the_value_at_its_path(value: Any, ascii_only: bool, indent: int | None) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    for path, leaf in leaves(data, lambda path: len(path) == 2).items():
        text = data[leaf.start : leaf.stop]
        assert json.loads(b'"' + text + b'"' if leaf.form == "text" else text) == at(value, path)
        assert (leaf.form == "json") == isinstance(at(value, path), list | dict)


def test_texts_numbers_and_what_is_taken_whole_are_told() -> None:
    found = leaves(b'{"a": [1, {"b": "x"}, [2]], "c": null}', lambda path: path == ("a", 2))
    assert {path: leaf.form for path, leaf in found.items()} == {
        ("a", 0): "number",
        ("a", 1, "b"): "text",
        ("a", 2): "json",
    }


def test_of_a_doubled_key_the_last_counts() -> None:
    assert leaves(b'{"a": 1, "a": 2}', lambda _: False)["a",].start == 14


def test_very_deep_values_are_not_looked_into() -> None:
    assert leaves(b"[" * 500 + b"1" + b"]" * 500, lambda _: False) == {}
