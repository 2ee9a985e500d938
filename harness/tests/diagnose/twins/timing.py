"""Faults of time and of ends, done to a healthy ladder at its last hop: held back, silent, late, cut, not stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.capture.model import End
from harness.tests.diagnose.twins.hops import later
from harness.tests.diagnose.twins.tape import Row, Tape
from harness.tests.diagnose.twins.voice import Plan

Ladder = list[Tape]
Hurt = Callable[[Ladder, Plan], Ladder]
BY_US = "closed by the hop in front"


def place(tape: Tape, where: float) -> int:
    """Index of the content row at that share of the answer, never the first nor the last."""
    spoken = tape.spoken()
    return spoken[max(min(1, len(spoken) - 1), min(len(spoken) - 2, round(where * (len(spoken) - 1))))]


def scaled(ladder: Ladder, factor: float) -> Ladder:
    return [
        replace(t, rows=tuple(r.at(r.t * factor) for r in t.rows), end=replace(t.end, t=t.end.t * factor))
        for t in ladder
    ]


def held(*, size: int = 0, every: float = 0, blocks: int = 0, coding: str = "", length: bool = False) -> Hurt:
    """What the hop gets it keeps until so many bytes are full, so many ms are over, or for so many blocks; one and a
    half and twice as long in the other variations."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        return _held(ladder, round(size * (1 + 0.5 * plan.turn)), every * (1 + 0.5 * plan.turn), blocks, coding, length)

    return hurt


def _held(ladder: Ladder, size: int, every: float, blocks: int, coding: str, length: bool) -> Ladder:
    last = ladder[-1]
    if coding == "held":
        return [*ladder[:-1], replace(last, coding=coding, end=replace(last.end, t=last.end.t + 9))]
    rows, full, when = list(last.rows), 0, []
    start, stop = rows[0].t, rows[-1].t
    for n, row in enumerate(rows):
        full += len(row.data)
        if size:
            when.append(next((r.t for r in _from(rows, n, full, size)), stop))
        else:
            step = every or (stop - start) / blocks
            when.append(min(start + step * ((row.t - start) // step + 1), stop))
    out = last.with_rows(replace(row, t=t + 8, cuts=()) for row, t in zip(rows, when, strict=True))
    out = replace(out, coding=coding or out.coding, end=replace(last.end, t=stop + 9))
    head = out.like.head
    whole = ("content-length", str(sum(len(r.data) for r in rows)))
    out = out.headed(whole, drop=("transfer-encoding",)) if length else out
    if blocks == 1 and not coding and head:
        out = replace(out, like=replace(out.like, head=replace(out.like.head or head, t=stop + 7)))
    return [*ladder[:-1], out]


def at_once(ms: float) -> Hurt:
    """Headers and the whole answer after so long."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        last = scaled(ladder[-1:], ms / ladder[-1].last_ms())
        return held(blocks=1)([*ladder[:-1], *last], plan)

    return hurt


def _from(rows: list[Row], n: int, full: int, size: int) -> list[Row]:
    """The row that fills the block in which row ``n`` (its last byte is number ``full``) lies."""
    need = -(-full // size) * size
    for row in rows[n + 1 :]:
        if full >= need:
            break
        full += len(row.data)
        n += 1
    return [rows[n]] if full >= need else []


def cut(
    end: str = "truncated", *, inner: str = "", total: float = 0, idle: float = 0, lag: float = 20, detail: str = "",
    keep: str = "", errors: bytes = b"",
) -> Hurt:  # fmt: skip
    """Nothing after the place: at ``total`` ms in all while data flows, ``idle`` ms after the last word (both twice and
    thrice as long in the other variations), or at once.

    ``inner``: how the hops further in end then. ``keep`` "role": not one word is left. ``errors``: said at the cut.
    """

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        at, idle_ms = place(ladder[0], plan.where), idle * (1 + plan.turn)
        if total:
            ladder = scaled(ladder, total * (1 + plan.turn) / (ladder[0].rows[at].t + 1))
        if idle:
            after = ladder[0].rows[at].t
            ladder = [paused(tape, after, idle_ms * 1.5) for tape in ladder]
        limit = ladder[0].rows[at].t
        last = ladder[-1]
        count = sum(1 for row in ladder[0].rows[: at + 1] if row.said)
        rows = _words(last, count) if keep != "role" else [r for r in last.rows[:2] if r.kind in ("role", "mark")]
        stop = limit + idle_ms if idle else (rows[-1].t if rows else limit)
        if errors:
            rows.append(Row(stop + lag, errors, "error"))
        last = last.with_rows(rows).ended(end, stop + lag + 2, detail)
        rest = ladder[:-1]
        if inner:
            rest = [t.with_rows(_words(t, count)).ended(inner, stop + lag, BY_US) for t in rest]
        return [*rest, last]

    return hurt


def _words(tape: Tape, count: int) -> list[Row]:
    """The rows up to that many pieces of content."""
    out: list[Row] = []
    for row in tape.rows:
        if not count:
            break
        out.append(row)
        count -= row.said
    return out


def paused(tape: Tape, after: float, ms: float) -> Tape:
    """Everything that comes later than ``after`` comes so much later (with a few ms for the hops' own lag)."""
    rows = [row.at(row.t + ms) if row.t > after + 12 else row for row in tape.rows]
    return replace(tape, rows=tuple(rows), end=replace(tape.end, t=tape.end.t + ms))


def stalled(gap: float, *, to_end: bool = False, errors: bytes = b"") -> Hurt:
    """A gap in the middle; ``to_end``: nothing more comes while the recording lasts. Longer in other variations."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        last, ms = ladder[-1], gap * (1 + 0.5 * plan.turn)
        at = place(last, plan.where)
        if not to_end:
            return [*ladder[:-1], paused(last, last.rows[at].t - 11.9, ms)]
        rows = list(last.rows[: at + 1])
        t = rows[-1].t
        rows += [Row(t + 100, errors, "error")] if errors else []
        return [*ladder[:-1], last.with_rows(rows).ended("open", t + ms, "recording stopped, connection still open")]

    return hurt


def frozen(gap: float) -> Hurt:
    """The hop does nothing for so long, then gives all that was held at once; the hops further in are even."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        last, ms = ladder[-1], gap * (1 + 0.5 * plan.turn)
        start = last.rows[place(last, plan.where)].t
        rows = [replace(row, t=max(row.t, start + ms), cuts=()) if row.t > start else row for row in last.rows]
        return [*ladder[:-1], last.with_rows(rows).ended("complete", max(rows[-1].t, last.end.t) + 1)]

    return hurt


def behind(ladder: Ladder, plan: Plan) -> Ladder:
    """Each event comes when the next one is sent."""
    last = ladder[-1]
    times = [row.t for row in last.rows[1:]] + [last.end.t]
    return [*ladder[:-1], last.with_rows(row.at(t + 3) for row, t in zip(last.rows, times, strict=True))]


def late(ms: float) -> Hurt:
    """The hop begins so much later; what came meanwhile comes as it had come."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        last = ladder[-1]
        moved = [row.at(row.t + ms) for row in last.rows]
        return [*ladder[:-1], replace(last, rows=tuple(moved), end=replace(last.end, t=last.end.t + ms))]

    return hurt


def silent(end: str, ms: float, *, head: bool = True, beats: bytes = b"", inner: float = 0, detail: str = "") -> Hurt:
    """The hop gives nothing (at most ``beats``) until it ends so; ``inner``: how late the first word is further in."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        wait = ms * (1 + 0.5 * plan.turn)
        last = ladder[-1]
        rest = ladder[:-1]
        if inner:
            rest = [paused(tape, -1e9, wait * inner) for tape in rest]
        rows = [Row(wait * n / 5, beats, "mark") for n in range(1, 5)] if beats else []
        early = last.like.head and replace(last.like.head, t=6.0)
        like = replace(last.like, head=early if head else None)
        return [*rest, replace(last, like=like, rows=tuple(rows), end=End(wait, end, detail))]

    return hurt


def given_up(status: int, body: bytes, ms: float) -> Hurt:
    """The innermost hop is silent; the one in front gives up after ``ms`` and says so with a status."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        wait = ms * (1 + 0.5 * plan.turn)
        first, last = ladder[0], Tape(ladder[-1].like, (Row(wait + 1, body, "error"),), End(wait + 1, "complete"))
        first = replace(first, like=replace(first.like, head=None), rows=()).ended("aborted", wait, BY_US)
        heads = (("content-type", "text/plain"), ("content-length", str(len(body))))
        return [first, last.headed(*heads, drop=("transfer-encoding",), status=status)]

    return hurt


def unreached(body: bytes) -> Hurt:
    """Nobody listens at the innermost hop; the one in front answers 502."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        first, last = given_up(502, body, 1.0)(ladder, plan)
        return [first.ended("reset", 0.3, "connection refused"), last]

    return hurt


def unstopped(*, nothing: bool = False) -> Hurt:
    """The reader leaves at the place; further in it goes on to the end."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        inner, last = ladder[-2:]
        at = place(inner, min(plan.where, 0.4))
        rows = [] if nothing else later(_words(last, sum(1 for r in inner.rows[: at + 1] if r.said)))
        t = inner.rows[at].t
        like = replace(last.like, head=None) if nothing else last.like
        told = replace(last, like=like, rows=tuple(rows)).ended("aborted", t + 6, "closed by us")
        return [*(ladder[:-1]), told]

    return hurt


def stopped(ladder: Ladder, plan: Plan) -> Ladder:
    """The reader leaves at the place, and each hop further in hears of it at once."""
    at = place(ladder[0], min(plan.where, 0.4))
    count, t = sum(1 for row in ladder[0].rows[: at + 1] if row.said), ladder[0].rows[at].t
    last = len(ladder) - 1
    return [
        tape.with_rows(_words(tape, count)).ended("aborted", t + 12 - n, "closed by us" if n == last else BY_US)
        for n, tape in enumerate(ladder)
    ]
