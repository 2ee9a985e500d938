"""Token counts in columns: engines may claim them in every event."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

_NONE = -(2**63)


class Usage(NamedTuple):
    """Token counts that an event claims; None where it does not say."""

    event: int
    prompt: int | None
    completion: int | None
    total: int | None
    reasoning: int | None


Counts = tuple[int | None, ...]
"""Prompt, completion, total, reasoning."""


class Usages(Sequence[Usage]):
    """A list of :class:`Usage`, kept as columns of 64-bit numbers."""

    def __init__(self) -> None:
        self._events = array("I")
        self._counts = [array("q") for _ in Usage._fields[1:]]

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, at: int) -> Usage: ...
    @overload
    def __getitem__(self, at: slice) -> list[Usage]: ...
    def __getitem__(self, at: int | slice) -> Usage | list[Usage]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        return Usage(self._events[at], *(None if column[at] == _NONE else column[at] for column in self._counts))

    def __iter__(self) -> Iterator[Usage]:
        for event, *counts in zip(self._events, *self._counts, strict=True):
            yield Usage(event, *(None if count == _NONE else count for count in counts))

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Usages | list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def append(self, event: int, *counts: Any) -> None:
        """One event's claims; what is no count of tokens is kept as None."""
        self._events.append(event)
        for column, count in zip(self._counts, counts, strict=True):
            column.append(count if type(count) is int and _NONE < count < -_NONE else _NONE)

    def extend(self, first: int, many: int, constant: Counts, columns: dict[int, Sequence[int]]) -> None:
        """The claims of ``many`` events from ``first`` on: the same ones, but for the columns that differ."""
        self._events.extend(array("I", range(first, first + many)))
        for number, (column, count) in enumerate(zip(self._counts, constant, strict=True)):
            same = array("q", [_NONE if count is None else count])
            column.extend(array("q", columns[number][:many]) if number in columns else same * many)
