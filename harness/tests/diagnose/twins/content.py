"""Faults of what is said: swapped, doubled, lost, mixed, garbled, off the protocol; and refusals."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from harness.capture.model import End
from harness.tests.diagnose.twins.tape import Row, Tape
from harness.tests.diagnose.twins.timing import Hurt, Ladder, place
from harness.tests.diagnose.twins.voice import Plan, said

Edit = Callable[[Tape, Plan], Sequence[Row]]


def edited(edit: Edit) -> Hurt:
    """The last hop's rows changed."""
    return lambda ladder, plan: [*ladder[:-1], ladder[-1].with_rows(edit(ladder[-1], plan))]


def _each(tape: Tape, change: Callable[[Row], Row | Sequence[Row]]) -> list[Row]:
    out: list[Row] = []
    for row in tape.rows:
        told = change(row)
        out += [told] if isinstance(told, Row) else list(told)
    return out


@edited
def swapped(tape: Tape, plan: Plan) -> Sequence[Row]:
    """Neighbouring words change places, twice."""
    spoken, rows = tape.spoken(), list(tape.rows)
    for first in (place(tape, plan.where / 2), place(tape, (1 + plan.where) / 2)):
        n = spoken.index(first)
        a, b = spoken[n], spoken[n + 1] if n + 1 < len(spoken) else spoken[n - 1]
        rows[a], rows[b] = rows[b].at(rows[a].t), rows[a].at(rows[b].t)
    return rows


@edited
def snapshots(tape: Tape, plan: Plan) -> Sequence[Row]:
    """Each piece tells all that was said before, too."""
    before = ""

    def change(row: Row) -> Row:
        nonlocal before
        before += row.text if row.said else ""
        return said(row, before) if row.said else row

    return _each(tape, change)


@edited
def doubled(tape: Tape, plan: Plan) -> Sequence[Row]:
    return _each(tape, lambda row: [row, row] if row.said else row)


@edited
def dropped(tape: Tape, plan: Plan) -> Sequence[Row]:
    """A few words in the middle are missing."""
    at = place(tape, plan.where)
    gone = [i for i in tape.spoken() if i >= at][: max(2, len(tape.spoken()) // 12)]
    return [row for i, row in enumerate(tape.rows) if i not in gone]


@edited
def ended_twice(tape: Tape, plan: Plan) -> Sequence[Row]:
    return _each(tape, lambda row: [row, row] if row.kind == "done" else row)


@edited
def unended(tape: Tape, plan: Plan) -> Sequence[Row]:
    """No finish reason, the terminator alone."""
    return [row for row in tape.rows if row.kind != "finish"]


@edited
def ended_early(tape: Tape, plan: Plan) -> Sequence[Row]:
    """The first event of the answer bears a finish already."""
    first = next(i for i, row in enumerate(tape.rows) if row.kind in ("role", "text"))
    return [finishing(row) if i == first else row for i, row in enumerate(tape.rows)]


@edited
def ended_with_words(tape: Tape, plan: Plan) -> Sequence[Row]:
    """The last words ride on a terminal event, and another terminal event follows."""
    spoken = tape.spoken()
    tail = max(2, min(6, int(len(spoken) * (1 - plan.where))))
    text = "".join(tape.rows[i].text for i in spoken[-tail:])
    gone = set(spoken[-tail:-1])
    last = spoken[-1]
    rows = [finishing(said(row, text)) if i == last else row for i, row in enumerate(tape.rows) if i not in gone]
    return rows


def finishing(row: Row) -> Row:
    return replace(row, data=re.sub(rb'("finish_reason"\s*:\s*)null', rb'\1"stop"', row.data))


@edited
def reasonless(tape: Tape, plan: Plan) -> Sequence[Row]:
    """A finish reason that is an empty text wherever it should be null."""
    return _each(tape, lambda row: replace(row, data=row.data.replace(b'"finish_reason":null', b'"finish_reason":""')))


@edited
def one_choice(tape: Tape, plan: Plan) -> Sequence[Row]:
    """Every choice is told as the first."""
    return _each(tape, lambda row: replace(row, data=re.sub(rb'("index"\s*:\s*)\d+', rb"\g<1>0", row.data)))


@edited
def one_tool(tape: Tape, plan: Plan) -> Sequence[Row]:
    """Every tool call bears the index of the first; a fragment without id goes to it as well."""
    index = rb'("tool_calls"\s*:\s*\[\{[^\]]*?"index"\s*:\s*)\d+'
    return _each(tape, lambda row: replace(row, data=re.sub(index, rb"\g<1>0", row.data)))


@edited
def replaced(tape: Tape, plan: Plan) -> Sequence[Row]:
    """U+FFFD instead of a word, raw as UTF-8."""
    at = place(tape, plan.where)
    return [said(row, "\ufffd\ufffd") if i == at else row for i, row in enumerate(tape.rows)]


@edited
def replaced_escaped(tape: Tape, plan: Plan) -> Sequence[Row]:
    """An emoji told as four pieces of an escaped U+FFFD."""
    at = place(tape, plan.where)
    piece = said(tape.rows[at], "\ufffd")
    piece = replace(piece, data=piece.data.replace("\ufffd".encode(), b"\\ufffd"))
    parts = [piece.at(piece.t + 0.5 * n) for n in range(4)]
    return [*tape.rows[:at], *parts, *(r.at(r.t + 2) for r in tape.rows[at + 1 :])]


def split_surrogates(ladder: Ladder, plan: Plan) -> Ladder:
    """An emoji that is whole further in comes as two events, half of its surrogate pair in each."""
    tapes = []
    for tape in ladder:
        at = place(tape, plan.where)
        whole = said(tape.rows[at], "\U0001f600")
        tapes.append(tape.with_rows([*tape.rows[:at], whole, *tape.rows[at + 1 :]]))
    last = tapes[-1]
    piece = said(last.rows[at], "@@")
    halves = [replace(piece, data=piece.data.replace(b"@@", half)) for half in (b"\\ud83d", b"\\ude00")]
    return [*tapes[:-1], last.with_rows([*last.rows[:at], *halves, *last.rows[at + 1 :]])]


@edited
def glued(tape: Tape, plan: Plan) -> Sequence[Row]:
    """An event breaks off in the middle, and the next stands on the same line."""
    at = place(tape, plan.where)
    spoken = tape.spoken()
    after = spoken[min(spoken.index(at) + 1, len(spoken) - 1)]
    one, two = tape.rows[at], tape.rows[after]
    text = re.sub(rb"(?m)^(?:id|event): ?.*\r?\n", b"", two.data)
    merged = replace(one, data=one.data[: int(len(one.data) * 0.45)] + text)
    return [merged if i == at else row for i, row in enumerate(tape.rows) if i != after]


@edited
def unclosed(tape: Tape, plan: Plan) -> Sequence[Row]:
    """The terminator without its blank line."""
    return _each(tape, lambda row: replace(row, data=row.data.rstrip()) if row.kind == "done" else row)


@edited
def pings_as_data(tape: Tape, plan: Plan) -> Sequence[Row]:
    """A keep-alive comment told as an event."""
    at = place(tape, plan.where)
    return [*tape.rows[:at], Row(tape.rows[at].t, b"data: : ping\n\n"), *tape.rows[at:]]


@edited
def not_a_number(tape: Tape, plan: Plan) -> Sequence[Row]:
    at = place(tape, plan.where)
    row = tape.rows[at]
    body = row.data.rstrip()
    data = body[:-1] + b',"reference":{"score":NaN}}' + row.data[len(body) :]
    return [replace(row, data=data) if i == at else other for i, other in enumerate(tape.rows)]


@edited
def unclosed_arguments(tape: Tape, plan: Plan) -> Sequence[Row]:
    """The last fragment of the arguments is missing."""
    last = tape.spoken()[-1]
    return [row for i, row in enumerate(tape.rows) if i != last]


@edited
def filter_event(tape: Tape, plan: Plan) -> Sequence[Row]:
    """An event without a delta, as content filters send them."""
    data = b'data: {"id":"","object":"","created":0,"model":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{"hate":{"filtered":false}}}]}\n\n'  # noqa: E501
    at = next(i for i, row in enumerate(tape.rows) if row.kind == "done")
    return [*tape.rows[:at], Row(tape.rows[at].t, data), *tape.rows[at:]]


@edited
def thinking_aloud(tape: Tape, plan: Plan) -> Sequence[Row]:
    """The reasoning stands in the answer between think tags, the closing one in two pieces."""
    thought = [i for i in tape.spoken() if tape.rows[i].kind == "reason"]
    model = next(row for row in tape.rows if row.kind == "text")
    tags = [said(model, tag) for tag in ("<think>", "</th", "ink>")]
    rows = [replace(r, data=r.data.replace(b"reasoning_content", b"content")) for r in tape.rows]
    first, last = thought[0], thought[-1] + 1
    step = (rows[last].t - rows[last - 1].t) / 3
    opening = tags[0].at(rows[first].t)
    closing = [tag.at(rows[last - 1].t + step * (n + 1)) for n, tag in enumerate(tags[1:])]
    return [*rows[:first], opening, *rows[first:last], *closing, *rows[last:]]


@edited
def objects(tape: Tape, plan: Plan) -> Sequence[Row]:
    """A tool call whose arguments are an object, whose ids change, and which ends with ``stop``."""
    out = []
    for n, row in enumerate(tape.rows):
        data = re.sub(rb'("arguments":)"((?:[^"\\]|\\.)*)"', lambda hit: hit.group(1) + json.loads(b'"' + hit.group(2) + b'"').encode(), row.data)  # noqa: E501  # fmt: skip
        data = re.sub(rb'("id":"cmpl-)\d+', rb"\g<1>" + str(n + 1).encode(), data)
        out.append(replace(row, data=data.replace(b'"tool_calls"}]', b'"stop"}]')))
    return out


@edited
def two_turns(tape: Tape, plan: Plan) -> Sequence[Row]:
    """Another answer under another id woven in from the place on, with an end of its own."""
    at = place(tape, plan.where)
    ident = rb'("id"\s*:\s*")[^"]*(")'
    out: list[Row] = []
    for i, row in enumerate(tape.rows):
        out.append(row)
        if (row.said and i >= at - 1) or row.kind in ("role", "finish"):
            other = said(row, row.text[::-1].strip().upper() + " ") if row.said else row
            out.append(replace(other, data=re.sub(ident, rb"\1chatcmpl-other-turn\2", other.data)).at(row.t + 3))
    return out


@edited
def first_word_lost(tape: Tape, plan: Plan) -> Sequence[Row]:
    """The event that bears both the last of the reasoning and the first of the answer loses its answer."""
    first = next(i for i in tape.spoken() if re.search(rb'_content":"[^"].*"content":"[^"]', tape.rows[i].data))
    row = tape.rows[first]
    data = re.sub(rb'("content"\s*:\s*)"[^"]+"', rb"\1null", row.data)
    return [replace(row, data=data) if i == first else other for i, other in enumerate(tape.rows)]


@edited
def broken_at_ends(tape: Tape, plan: Plan) -> Sequence[Row]:
    """A line end inside an event, where a reader took a read or a strange separator for the end of a line."""
    at = place(tape, plan.where)
    row = tape.rows[at]
    middle = len(row.data) // 2
    return [
        replace(r, data=r.data[:middle] + b"\n" + r.data[middle:]) if i == at else r for i, r in enumerate(tape.rows)
    ]


def failed(*data: bytes, done: bool = False, first: bool = False) -> Hurt:
    """An error inside the stream at the place (``first``: instead of the answer), another in each variation, and
    ``done`` where a terminator follows."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        last = ladder[-1]
        at = next((i for i, row in enumerate(last.rows) if row.cuts), 0) or place(last, plan.where)
        rows = [] if first else list(last.rows[:at])
        t = last.rows[at].t
        rows.append(Row(t, data[plan.turn % len(data)], "error"))
        rows += [row.at(t + 0.4) for row in last.rows if row.kind == "done"] if done else []
        return [*ladder[:-1], last.with_rows(rows).ended("complete", t + 2)]

    return hurt


def refused(*answers: tuple[int, bytes], hidden: Hurt | None = None, ms: float = 40) -> Hurt:
    """The innermost hop answers with a status, another in each variation; ``hidden``: what the hop in front makes of
    it, else it is passed on."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        status, body = answers[plan.turn % len(answers)]
        kind = "application/json" if body[:1] == b"{" else "text/html"
        heads = (("content-type", kind), ("content-length", str(len(body))))
        first = ladder[0].headed(*heads, drop=("transfer-encoding",), status=status)
        assert first.like.head is not None
        first = replace(first, like=replace(first.like, head=replace(first.like.head, t=ms)), coding="identity")
        first = first.with_rows([Row(ms, body, "error")]).ended("complete", ms + 1)
        return hidden([first, *ladder[1:]], plan) if hidden else [first]

    return hurt


@edited
def nothing_said(tape: Tape, plan: Plan) -> Sequence[Row]:
    """At once an end by ``abort``, and not one word."""
    rows = [row for row in tape.rows if not row.said]
    return [
        replace(row, t=30.0 + 5 * n, data=row.data.replace(b'"stop"', b'"abort"')) for n, row in enumerate(rows)
    ]  # fmt: skip


def document(ladder: Ladder, plan: Plan) -> Ladder:
    """One JSON document at the end instead of a stream."""
    last = ladder[-1]
    text = "".join(row.text for row in last.rows)
    message = {"role": "assistant", "content": text}
    body = json.dumps({"id": "x", "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}, ensure_ascii=False).encode()  # noqa: E501  # fmt: skip
    t = last.last_ms()
    told = last.headed(
        ("content-type", "application/json"), ("content-length", str(len(body))), drop=("transfer-encoding",)
    )
    return [*ladder[:-1], replace(told, rows=(Row(t, body),), end=End(t + 1, "complete"), coding="identity")]


def headed(*headers: tuple[str, str]) -> Hurt:
    """More headers at the last hop; a value "{length}" is the body's length."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        size = str(sum(len(row.data) for row in ladder[-1].rows))
        return [*ladder[:-1], ladder[-1].headed(*((k, v.replace("{length}", size)) for k, v in headers))]

    return hurt


def both(*hurts: Hurt) -> Hurt:
    """One after the other."""

    def hurt(ladder: Ladder, plan: Plan) -> Ladder:
        for each in hurts:
            ladder = each(ladder, plan)
        return ladder

    return hurt


def by_turn(*hurts: Hurt) -> Hurt:
    """Another in each variation."""
    return lambda ladder, plan: hurts[plan.turn % len(hurts)](ladder, plan)
