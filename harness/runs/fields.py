"""What a gateway does to the fields of an answer's events: dropped, renamed, blanked, filled, added, changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.phrase import say, term
from harness.wire.stream import Stream

MANY = 8  # distinct values from which a field is text that runs, not a setting that stands
SHOWN = 80  # characters of a value that are told
# Differ from one exchange to the next by nature.
PASSING = frozenset({"id", "created", "created_at", "system_fingerprint"})
TEXTS = frozenset({"content", "reasoning", "reasoning_content", "arguments", "text", "response", "thinking"})


@dataclass(slots=True)
class Field:
    """All values of one path, as JSON; ``joined``: its strings one after another; ``blank``: nothing but empty ones."""

    values: dict[str, int] = field(default_factory=dict)
    joined: str = ""
    blank: bool = True

    def take(self, value: Any) -> None:
        text = json.dumps(value, ensure_ascii=False)
        if text in self.values or len(self.values) <= MANY:
            self.values[text] = self.values.get(text, 0) + 1
        if isinstance(value, str):
            self.joined += value
        self.blank = self.blank and value in (None, "", 0, [], {})

    def shown(self) -> str:
        told = list(self.values)[:3] + (["…"] if len(self.values) > 3 else [])
        return ", ".join(told)[:SHOWN]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """``how``: dropped, renamed (``to``), blanked, filled, added, changed. ``before``, ``after``: its values, JSON."""

    field: str
    how: str
    before: str
    after: str
    to: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        if self.how == "renamed":
            return say("{field} renamed to {to}", field=self.field, to=self.to)
        values = {"dropped": self.before, "added": self.after}.get(self.how, f"{self.before} → {self.after}")
        return say("{field} {how}: {values}", field=self.field, how=term(self.how), values=values)


def fields(stream: Stream) -> dict[str, Field]:
    """Every path of the stream's events (``choices[].delta.content``) with its values."""
    found: dict[str, Field] = {}
    for event in range(len(stream)):
        record = _record(stream.raw(event))
        if isinstance(record, dict):
            for path, value in _leaves(record, ""):
                found.setdefault(path, Field()).take(value)
    return found


def _record(raw: bytes) -> Any:
    lines = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    data = [line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:")]
    try:
        return json.loads(b"\n".join(data) if data else raw)
    except ValueError:
        return None


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for inner in value:
            yield from _leaves(inner, f"{path}[]")
    else:
        yield path, value


def rewritten(inner: Sequence[Stream], outer: Sequence[Stream]) -> list[Rewrite]:
    """What the outer side did to the inner side's fields; streams of one side count together."""
    a, b = _all(inner), _all(outer)
    if not a or not b:
        return []
    out: list[Rewrite] = []
    gone = {path: f for path, f in a.items() if path not in b and not _parent(path, b)}
    new = {path: f for path, f in b.items() if path not in a and not _parent(path, a)}
    for path, old in gone.items():
        to = next((other for other, f in new.items() if _same(old, f)), "")
        if to:
            out.append(Rewrite(path, "renamed", old.shown(), new.pop(to).shown(), to))
        elif not old.blank:
            out.append(Rewrite(path, "dropped", old.shown(), ""))
    out += [Rewrite(path, "added", "", f.shown()) for path, f in new.items() if not f.blank]
    for path, old in a.items():
        now = b.get(path)
        how = _how(path, old, now) if now else ""
        if now and how:
            out.append(Rewrite(path, how, old.shown(), now.shown()))
    return sorted(out, key=lambda row: row.field)


def _all(streams: Sequence[Stream]) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for stream in streams:
        for path, one in fields(stream).items():
            into = found.setdefault(path, Field())
            for value, count in one.values.items():
                into.values[value] = into.values.get(value, 0) + count
            into.joined += one.joined
            into.blank = into.blank and one.blank
    return found


def _parent(path: str, other: dict[str, Field]) -> bool:
    """Whether the other side tells an empty object or list where this one has what is in it."""
    return any(path.startswith((f"{name}.", f"{name}[]")) for name in other)


def _same(old: Field, new: Field) -> bool:
    """Whether two fields say the same: the same running text, or the same few values that are no mere flags."""
    if old.joined or new.joined:
        return old.joined == new.joined and len(old.joined) > 1
    telling = [value for value in old.values if len(value) > 2]
    return bool(telling) and old.values.keys() == new.values.keys()


def _how(path: str, old: Field, now: Field) -> str:
    last = path.rpartition(".")[2].removesuffix("[]")
    if old.blank != now.blank:
        return "blanked" if now.blank else "filled"
    few = max(len(old.values), len(now.values)) <= MANY
    if few and last not in PASSING | TEXTS and old.values.keys() != now.values.keys():
        return "changed"
    return ""
