"""How each kind of case is healed: its tapes in, and out again with a whole innermost answer and unhurt headers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from harness.tests.diagnose.cases import Case, both
from harness.tests.diagnose.twins.tape import Row, Tape, played, taped
from harness.tests.diagnose.twins.timing import Ladder
from harness.tests.diagnose.twins.voice import said

Heal = Callable[[Ladder], Ladder]


@cache
def case_of(ident: str) -> Case:
    return next(case for case in both() if case.id == ident)


def tape_of(ident: str, index: int = 0) -> Tape:
    return taped(case_of(ident).captures[index])


def inner(change: Callable[[Tape], Tape]) -> Heal:
    return lambda ladder: [change(ladder[0]), *ladder[1:]]


def outer(change: Callable[[Tape], Tape]) -> Heal:
    return lambda ladder: [*ladder[:-1], change(ladder[-1])]


def chain(*heals: Heal) -> Heal:
    def heal(ladder: Ladder) -> Ladder:
        for each in heals:
            ladder = each(ladder)
        return ladder

    return heal


def asis(ladder: Ladder) -> Ladder:
    return ladder


def finished(reason: str = "stop", done: bool = True, gap: float = 60) -> Heal:
    """The errors gone; the end that the answer did not come to, in its own spelling, and a clean close."""

    def heal(tape: Tape) -> Tape:
        rows = [row for row in tape.rows if row.kind not in ("error", "tail", "done")]
        last = next(row for row in reversed(rows) if row.said)
        if not any(row.kind == "finish" for row in rows):
            rows.append(replace(last, t=rows[-1].t + gap, kind="finish", text="", data=_finish(last.data, reason)))
        if done and tape.like.wire != "ollama":
            head = re.match(rb"event: .*\n", last.data)
            rows.append(Row(rows[-1].t + 1, (head.group() if head else b"") + b"data: [DONE]\n\n", "done"))
        return tape.with_rows(rows).ended("complete", rows[-1].t + 1)

    return inner(heal)


def _finish(data: bytes, reason: str) -> bytes:
    """A content event as that server would end: empty delta and the reason; Ollama's last record."""
    hit = re.search(rb"\{.*\}", data, re.S)
    assert hit
    value, tight = json.loads(hit.group()), b'": ' not in data
    if "choices" in value:
        value["choices"][0].update(delta={}, finish_reason=reason)
    else:
        value["message"]["content"] = ""
        value.update(done=True, done_reason=reason)
    told = json.dumps(value, ensure_ascii=False, separators=(",", ":") if tight else (", ", ": ")).encode()
    return data[: hit.start()] + told + data[hit.end() :]


def filled(ident: str, index: int = 0, lead: float = 0) -> Heal:
    """A whole answer of the same kind of server where the case has none; ``lead`` ms before it."""

    def heal(tape: Tape) -> Tape:
        donor = tape_of(ident, index)
        rows = [row.at(row.t + lead) for row in donor.rows]
        head = donor.like.head
        assert head is not None
        if tape.like.head and tape.like.head.status == 200:
            head = tape.like.head
        return replace(tape, like=replace(tape.like, head=head), rows=tuple(rows)).ended("complete", rows[-1].t + 1)

    return inner(heal)


def opened(ident: str, index: int = 1) -> Heal:
    """The last hop's head is that of a hop of its kind which answered."""

    def heal(tape: Tape) -> Tape:
        return replace(tape, like=replace(tape.like, head=tape_of(ident, index).like.head))

    return outer(heal)


def sooner(first: float, gap: float = 0) -> Heal:
    """The first word at ``first`` ms; ``gap``: at most so much between two events."""

    def heal(tape: Tape) -> Tape:
        start = tape.rows[tape.spoken()[0]].t
        rows, t, before = [], 0.0, 0.0
        for row in tape.rows:
            step, before = row.t - before, row.t
            factor = first / start if row.t <= start else 1.0
            t += min(step * factor, gap or step * factor)
            rows.append(row.at(t))
        return tape.with_rows(rows).ended("complete", t + 2)

    return inner(heal)


def spread(gap: float, start: float) -> Heal:
    """What came in one read comes event by event."""
    return inner(
        lambda tape: tape.with_rows(row.at(start + gap * n) for n, row in enumerate(tape.rows)).ended(
            "complete", start + gap * len(tape.rows)
        )
    )


def closed(tape: Tape) -> Tape:
    """Closed at once after its last event."""
    return tape.ended("complete", tape.last_ms() + 1)


def retold(change: Callable[[Row], Row | None], at: int = 0) -> Heal:
    """Each row of one tape changed, or dropped where nothing comes back."""

    def heal(ladder: Ladder) -> Ladder:
        rows = [told for row in ladder[at].rows if (told := change(row))]
        again = taped(played(ladder[at].with_rows(rows)))
        return [*ladder[:at], again, *ladder[at + 1 :]]

    return heal


def swap(old: bytes, new: bytes) -> Heal:
    """Other bytes in each event."""
    return retold(lambda row: replace(row, data=row.data.replace(old, new)))


def texts(words: Sequence[str]) -> Heal:
    """Whole words where the case's are damaged, as many events as there are words."""

    def heal(tape: Tape) -> Tape:
        spoken = tape.spoken()
        model = next(i for i in spoken if b"\\u" not in tape.rows[i].data and "\ufffd" not in tape.rows[i].text)
        fresh = [replace(said(tape.rows[model], w), t=tape.rows[spoken[0]].t + 80 * n) for n, w in enumerate(words)]
        stop = fresh[-1].t + 60
        rest = [row.at(stop + n) for n, row in enumerate(tape.rows[spoken[-1] + 1 :])]
        rows = [*tape.rows[: spoken[0]], *fresh, *rest]
        return tape.with_rows(rows).ended("complete", rows[-1].t + 1)

    return inner(heal)


def arguments(*tails: str) -> Heal:
    """The fragments that a tool call lacks, in events like its last one."""

    def heal(tape: Tape) -> Tape:
        at = tape.spoken()[-1]
        last = tape.rows[at]
        more = [replace(said(last, tail), t=last.t + 20 * (n + 1)) for n, tail in enumerate(tails)]
        return tape.with_rows([*tape.rows[: at + 1], *more, *tape.rows[at + 1 :]])

    return inner(heal)


def unthought(row: Row) -> Row | None:
    """What stood between think tags becomes reasoning; the tags go."""
    if "<" in row.text or ">" in row.text:
        return None
    if row.text.strip() in ("count", "up"):
        return replace(row, data=row.data.replace(b'"content"', b'"reasoning_content"'))
    return row


def openai_calls(ladder: Ladder) -> Ladder:
    """The gateway's translation of a tool call as the protocol wants it: arguments as a text, one id, its reason."""

    def change(row: Row) -> Row:
        data = re.sub(rb'("id":")cmpl-\d(")', rb"\1cmpl-1\2", row.data)
        data = data.replace(b'"arguments":{"to":5}', b'"arguments":"{\\"to\\": 5}"')
        if row.kind == "finish":
            data = data.replace(b'"finish_reason":"stop"', b'"finish_reason":"tool_calls"')
        return replace(row, data=data)

    return retold(change, 1)(ladder)


def flushed(tape: Tape) -> Tape:
    """Compressed, but flushed with each read."""
    return replace(tape, coding="gzip")


def chat_again(tape: Tape) -> Tape:
    """Asked at the chat endpoint, whose events these are."""
    request = tape.like.request
    assert request
    moved = replace(request, url=request.url.replace("/responses", "/chat/completions"))
    return replace(tape, like=replace(tape.like, wire="openai", request=moved))


def misplaced(ladder: Ladder, plan: object) -> Ladder:
    """The same events at the endpoint of another protocol (the fault that :func:`chat_again` heals)."""
    request = ladder[-1].like.request
    assert request
    moved = replace(request, url=request.url.replace("/chat/completions", "/responses"))
    return [replace(ladder[-1], like=replace(ladder[-1].like, wire="responses", request=moved))]
