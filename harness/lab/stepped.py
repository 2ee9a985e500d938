"""A plan that follows an engine's steps: tokens of one step share a chunk. No clock: times are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.lab.edits import text_of, with_text
from harness.lab.plan import Emission, Plan


def joins(a: Emission, b: Emission) -> bool:
    """Whether b continues a, so that one chunk can carry both."""
    plain = a.data is None and b.data is None and a.kind in ("text", "reasoning")
    return plain and a.kind == b.kind and a.choice == b.choice and a.at == b.at


def joined(rows: Sequence[Emission]) -> Emission:
    """One emission with the text of all."""
    if len(rows) == 1:
        return rows[0]
    text = "".join(text_of(e) for e in rows)
    return replace(with_text(rows[0], lambda _: text), token=rows[-1].token)


def retimed(plan: Plan, times: Sequence[float]) -> Plan:
    """The same in virtual time: ``times[k]`` is when token k is there, in ms; equal times are one chunk."""

    def time_of(token: int) -> float:
        return times[min(token, len(times) - 1)] if token else 0.0

    rows: list[Emission] = []
    group: list[Emission] = []
    latest = 0.0
    for e in plan.emissions:
        if group and not (joins(group[0], e) and time_of(group[0].token) == time_of(e.token)):
            latest = max(latest, time_of(group[0].token) + group[0].at)
            rows.append(replace(joined(group), at=latest))
            group = []
        group.append(e)
    if group:
        latest = max(latest, time_of(group[0].token) + group[0].at)
        rows.append(replace(joined(group), at=latest))
    last = time_of(plan.emissions[-1].token) if plan.emissions else 0.0
    head = None if plan.head_at is None else plan.head_at + time_of(plan.emissions[0].token if plan.emissions else 0)
    return replace(plan, emissions=tuple(rows), head_at=head, end_at=max(latest, last + plan.end_at))
