"""Many events at once into the rows: what their effects have in common, and the values in which they differ."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress
from operator import ne
from typing import Any

import orjson

from harness.wire.effect import Effect
from harness.wire.roles import COUNTS, LOGPROBS
from harness.wire.sink import Sink

Values = dict[str, Any]
"""By role, lists or arrays with a value an event, or more."""


def pour(effect: Effect, values: Values, bounds: list[int], late: int, name: str, sink: Sink) -> int:
    """Give the sink the rows of as many events as ``bounds`` has room for; how many it took.

    Event ``i`` starts at ``bounds[i]`` and is dispatched ``late`` bytes before ``bounds[i + 1]``.
    """
    count, part = len(bounds) - 1, effect.key.part
    if "index" in values:
        numbers = [sink.index.get((index, part), -1) for index in values["index"][:count]]
        if -1 in numbers:
            count = numbers.index(-1)
            numbers, bounds = numbers[:count], bounds[: count + 1]
    else:
        numbers = [sink.index.get(effect.key, -1)]
    if not count or numbers[0] < 0:
        return 0
    if effect.came is not None:
        _identities(effect, values, count, sink)
    if effect.counts is not None:
        columns = {number: values[role] for number, role in enumerate(COUNTS.values()) if role in values}
        sink.stream.usages.extend(sink.event, count, effect.counts, columns)
    facts = sink.stream.facts
    facts.update(effect.facts)
    for role, column in values.items():
        if role in effect.facts:
            facts[role] = orjson.loads(column[count - 1])
    if effect.logprobs is not None:
        named = sum(values[LOGPROBS][:count]) if LOGPROBS in values else effect.logprobs * count
        facts[LOGPROBS] = facts.get(LOGPROBS, 0) + named
    sink.rows(effect.kind, numbers, values["text"][:count], bounds, late, name)
    return count


def _identities(effect: Effect, values: Values, count: int, sink: Sink) -> None:
    """The identity of each event, told where it is another one than the event's before."""
    ident, created, model, fingerprint = effect.came or (None,) * 4
    idents, times = list(values.get("id", ())[:count]), list(values.get("created", ())[:count])
    if idents and not times:
        sink.identities.tell_ids(sink.event, idents, created, model, fingerprint)
        return
    for at in sorted({0, *_changes(idents), *_changes(times)}):
        now = idents[at] if idents else ident, times[at] if times else created
        sink.identities.tell(sink.event + at, *now, model, fingerprint)


def _changes(column: list[Any]) -> Iterable[int]:
    """Where another value begins."""
    return compress(range(1, len(column)), map(ne, column, column[1:]))
