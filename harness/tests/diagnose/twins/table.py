"""From a case and its row of the table to captures: the healthy twin and the sick variant, in three variations."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from harness.capture.model import Capture
from harness.tests.diagnose.cases import Case
from harness.tests.diagnose.twins.entries import ENTRIES
from harness.tests.diagnose.twins.entry import Entry
from harness.tests.diagnose.twins.heals import case_of, tape_of
from harness.tests.diagnose.twins.hops import handed_on
from harness.tests.diagnose.twins.tape import played, taped
from harness.tests.diagnose.twins.timing import Ladder
from harness.tests.diagnose.twins.voice import (
    CHINESE,
    ENGLISH,
    GERMAN,
    NUMERALS,
    RUSSIAN,
    Plan,
    clothed,
    grown,
    spoken_in,
)


def plans(case: Case, entry: Entry) -> tuple[Plan, ...]:
    """The case's own traffic, and two others: words, sizes, paces, places, dialects."""
    own = case.captures[0].wire or "openai"
    others = [wire for wire in ("ollama", "fastgpt", "anthropic", "responses", "openai") if wire != own]
    turn = sum(map(ord, case.id))
    words, glue = ((CHINESE, ""), (RUSSIAN, " "))[turn % 2]
    more: tuple[Any, str] = ((GERMAN, " "), (ENGLISH, " "))[turn % 2]
    if entry.wide:
        words, glue, more = CHINESE, "", (RUSSIAN, " ")
    if entry.counts:
        words, glue, more = NUMERALS, " ", (NUMERALS, ", ")
    wire = others[turn % len(others)] if entry.free else None
    return (
        Plan(turn=0),
        Plan(words, glue, size=2.0, pace=0.75 * entry.pace, where=0.3, turn=1),
        Plan(*more, size=1.5, pace=1.4 * entry.pace, where=0.7, wire=wire, turn=2),
    )


def tapes_of(case: Case) -> Ladder:
    """The captures as rows."""
    return [taped(capture) for capture in case.captures]


def twin(case: Case, entry: Entry, plan: Plan) -> Ladder:
    """The case without its fault."""
    ladder = whole(case, entry, plan)
    return entry.lives(ladder, plan) if entry.lives else ladder


def whole(case: Case, entry: Entry, plan: Plan) -> Ladder:
    """The innermost answer to its end, every hop in its own way handing it on."""
    tapes = entry.heal(tapes_of(case))
    first = grown(tapes[0], plan)
    if plan.wire:
        first, tapes = spoken_in(first, plan.wire), [clothed(tape, plan.wire) for tape in tapes]
    out = [first]
    for index, like in enumerate(tapes[1:], 1):
        out.append(handed_on(out[-1], like, **_style(entry, plan, index)))
    return out


def _style(entry: Entry, plan: Plan, index: int) -> dict[str, Any]:
    name = (entry.anew or {}).get(index)
    if name is None or plan.wire:
        return {}
    ident, _, at = name.partition("/")
    return {"anew": True, "donor": tape_of(ident, int(at)) if ident else None}


def sick(case: Case, entry: Entry, plan: Plan, at: int) -> Ladder:
    """The twin with the fault done to hop ``at``; the hops in front hand it on with the ends of the case."""
    assert entry.hurt
    hurt = entry.hurt(whole(case, entry, plan)[: at + 1], plan)
    tapes = entry.heal(tapes_of(case))[at + 1 :] if entry.sick else tapes_of(case)[len(hurt) :]
    for index, like in enumerate(tapes, len(hurt)):
        head = hurt[0].like.head
        cloth = clothed(like, plan.wire) if plan.wire and head and head.status == 200 else like
        hurt.append(handed_on(hurt[-1], cloth, sick=entry.sick is None, **_style(entry, plan, index)))
    return hurt


@cache
def captures(ident: str, which: str, number: int) -> tuple[Capture, ...]:
    """``which`` "twin" or "sick", in variation ``number``; 0 is the case's own traffic."""
    case, entry = case_of(ident), ENTRIES[ident]
    plan = plans(case, entry)[number]
    if which == "twin":
        return tuple(played(tape) for tape in twin(case, entry, plan))
    return tuple(played(tape) for tape in sick(case, entry, plan, place_of(case, entry)))


def place_of(case: Case, entry: Entry) -> int:
    """Index of the hop that the fault is done to."""
    if entry.sick:
        return entry.sick[2]
    return [capture.hop for capture in case.captures].index(case.expect["hop"])


def expected(case: Case, entry: Entry) -> dict[str, Any]:
    if entry.sick is None:
        return case.expect
    severity, symptoms, at = entry.sick
    return {"severity": severity, "symptoms": symptoms.split("|"), "hop": case.captures[at].hop}


def shown(captures: tuple[Capture, ...]) -> str:
    """The ladder in a few lines, for a failing test's message."""
    return "\n".join(
        f"{c.hop} {json.dumps(list(c.head.headers) if c.head else None)[:200]} {len(c.times)} reads "
        f"{c.times[0] if len(c.times) else '-'}..{c.times[-1] if len(c.times) else '-'} {c.end}"
        for c in captures
    )
