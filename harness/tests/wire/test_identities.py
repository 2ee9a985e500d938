"""Who answers is told where it changes."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.wire.identities import Identities
from harness.wire.stream import Identity


def told(*came: tuple[Any, Any, Any, Any]) -> list[Identity]:
    rows: list[Identity] = []
    identities = Identities(rows)
    for event, parts in enumerate(came):
        identities.tell(event, *parts)
    return rows


def test_blanks_and_absent_parts_say_nothing() -> None:
    assert told(("a", 1, "m", None), ("", 0, None, "f"), (None, None, None, None)) == [
        Identity(0, "a", 1, "m", ""),
        Identity(1, "a", 1, "m", "f"),
    ]


def test_what_is_no_name_and_no_time_is_blank() -> None:
    assert told((7, "now", ["m"], "x" * 400)) == [Identity(0, "", None, "", "x" * 300)]
    assert told(("a", float("inf"), "", "")) == [Identity(0, "a", None, "", "")]


names = st.sampled_from(["a", "b", "é", "\udc00", "x" * 400])


@given(st.lists(names, min_size=1), st.sampled_from([None, 0, 5]), names)
def test_many_ids_are_told_as_one_by_one(idents: list[str], created: int | None, last: str) -> None:
    rows: list[Identity] = []
    identities = Identities(rows)
    identities.tell_ids(0, idents, created, "m", None)
    identities.tell(len(idents), last, created, "m", None)
    assert rows == told(*((ident, created, "m", None) for ident in [*idents, last]))
