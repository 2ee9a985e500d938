"""Who answers: id, time, model and fingerprint, as the events tell them."""

from __future__ import annotations

from itertools import compress, repeat
from math import isfinite
from operator import ne
from typing import Any

from harness.wire.payload import clean
from harness.wire.stream import Identity

_MOST = 300  # characters of a name

Came = tuple[Any, Any, Any, Any]
"""The parts as an event gives them: id, created, model, fingerprint."""


class Identities:
    """Adds to ``rows`` where something changed; blank and absent parts say nothing. ``came``: the parts as they came
    last."""

    def __init__(self, rows: list[Identity]) -> None:
        self.came: Came | None = None
        self._rows = rows
        self._current: Came = ("", None, "", "")  # those in force, as they came
        self._told: tuple[str, int | None, str, str] = ("", None, "", "")  # and as they are told

    def tell(self, event: int, ident: Any, created: Any, model: Any, fingerprint: Any) -> None:
        """What an event gives."""
        came = (ident, created, model, fingerprint)
        if came == self.came:
            return
        self.came = came
        old, told = self._current, self._told
        new = self._current = (ident or old[0], created or old[1], model or old[2], fingerprint or old[3])
        if new == old:
            return
        self._told = (
            told[0] if new[0] == old[0] else _name(new[0]),
            told[1] if new[1] == old[1] else _time(new[1]),
            told[2] if new[2] == old[2] else _name(new[2]),
            told[3] if new[3] == old[3] else _name(new[3]),
        )
        self._rows.append(Identity(event, *self._told))

    def tell_ids(self, event: int, idents: list[str], created: Any, model: Any, fingerprint: Any) -> None:
        """What this event and those that follow it give: ids, none of them blank, and all else alike."""
        self.tell(event, idents[0], created, model, fingerprint)
        _, *rest = self._told
        told = [_name(ident) for ident in idents]
        events = range(event + 1, event + len(idents))
        rows = zip(events, told[1:], *map(repeat, rest), strict=False)
        self._rows += compress(map(Identity._make, rows), map(ne, idents[1:], idents))
        self.came = (idents[-1], created, model, fingerprint)
        self._current = (idents[-1], *self._current[1:])
        self._told = (told[-1], self._told[1], self._told[2], self._told[3])


def _name(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    return value if len(value) <= _MOST and value.isascii() else clean(value, _MOST)


def _time(value: Any) -> int | None:
    if isinstance(value, float) and not isfinite(value):
        return None
    return int(value) if isinstance(value, int | float) else None
