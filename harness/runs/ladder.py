"""The ladder: the same input to every hop of a route, innermost outwards, and the verdict over all of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import uuid4

from harness.capture.model import Capture
from harness.errors import UnknownRoute
from harness.phrase import phrase
from harness.probe.exchange import probe
from harness.routes.model import Hop, Route
from harness.runs.ledger import Ledger
from harness.runs.result import RunResult, Tell, outline
from harness.runs.steps import Watch
from harness.timeline import reached

PROMPT = "Count from 1 to 40 in words, one word a line."
NO_LAB = "The lab is not running: start it with `manage.py lab`, or with the web by `manage.py up`."


@dataclass(frozen=True, slots=True)
class Plan:
    """``repeat`` rounds; or, ``until_fault``, rounds until one is bad, at most ``most`` of them.

    ``added``: recordings of hops that are not probed, by hop name. ``together``: the hops of a round at once.
    ``partial``: a climb that is cancelled tells what it has by then, where that is anything; else it raises.
    """

    prompt: str = PROMPT
    repeat: int = 1
    until_fault: bool = False
    most: int = 50
    stream: bool = True
    together: bool = False
    partial: bool = False
    added: Mapping[str, Sequence[Capture]] = field(default_factory=dict)


async def ladder(
    route: Route, plan: Plan | None = None, *, tell: Tell | None = None, watch: Watch | None = None
) -> RunResult:
    """Probe every hop in turn (A B C, A B C, …) and diagnose. Raises UnknownRoute for an added hop it lacks."""
    plan = plan or Plan()
    names = {hop.name for hop in route.hops}
    for name in plan.added:
        if name not in names:
            raise UnknownRoute(f"route {route.name} has no hop {name!r}", do=f"Its hops are: {', '.join(names)}.")
    return await climb(route, route.hops, plan, tell or (lambda line: None), watch)


async def probe_hop(
    route: Route, plan: Plan | None = None, *, tell: Tell | None = None, watch: Watch | None = None
) -> RunResult:
    """Probe the outermost hop alone."""
    return await climb(route, (route.outermost,), plan or Plan(), tell or (lambda line: None), watch)


async def climb(route: Route, hops: Sequence[Hop], plan: Plan, tell: Tell, watch: Watch | None = None) -> RunResult:
    """Rounds over ``hops``. Until a fault, only the bad round and the good one before it are kept."""
    ledger = Ledger.of(route, plan.prompt)
    try:
        result = await _climb(route, hops, plan, tell, watch, ledger)
    finally:
        await ledger.witness.aclose()
    if route.origin == "lab" and unreached(result.captures):
        tell(NO_LAB)
    return result


async def _climb(
    route: Route, hops: Sequence[Hop], plan: Plan, tell: Tell, watch: Watch | None, ledger: Ledger
) -> RunResult:
    rounds = plan.most if plan.until_fault else plan.repeat
    kept: list[Capture] = []
    before: list[Capture] = []
    for number in range(rounds):
        captures: list[Capture] = []
        try:
            await _round(route, hops, plan, number if rounds > 1 else None, tell, watch, ledger, captures)
            await ledger.ask(captures)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            # A hop more or less in the last round would be held against none; in the only round it is all there is.
            have = kept + before or captures
            if not plan.partial or task is None or not have:
                raise
            task.uncancel()
            return RunResult(tuple(have), ledger.judge(have), number, ledger.records(have), interrupted=True)
        if not plan.until_fault:
            kept += captures
            continue
        answer = ledger.judge(captures)
        if answer.verdict.healthy is not True:
            tell(phrase("round {number}: {summary}", number=number + 1, summary=answer.verdict.summary))
            both = tuple(before + captures)
            return RunResult(both, ledger.judge(both) if before else answer, number + 1, ledger.records(both))
        ledger.forget(before)
        before = captures
    if plan.until_fault:
        tell(phrase("no fault in {count} rounds", count=rounds))
        kept = before
    return RunResult(tuple(kept), ledger.judge(kept), rounds, ledger.records(kept))


async def _round(
    route: Route,
    hops: Sequence[Hop],
    plan: Plan,
    number: int | None,
    tell: Tell,
    watch: Watch | None,
    ledger: Ledger,
    captures: list[Capture],
) -> None:
    """One round, into ``captures``: what has ended stands there also when the rest is cancelled."""
    seen = watch or (lambda hop, number, capture: None)

    async def one(hop: Hop) -> list[Capture]:
        if hop.name in plan.added:
            recorded = _added(plan.added[hop.name], hop, number)
            for capture in recorded:
                seen(hop, number, capture)
            return recorded
        seen(hop, number, None)
        key = uuid4().hex
        extra = ledger.key_field(hop, key)
        capture = await probe(
            route, hop, prompt=plan.prompt, stream=plan.stream, repeat=number, exchange_id=key, body_extra=extra
        )
        seen(hop, number, capture)
        tell(
            outline(capture)
            if number is None
            else phrase("round {number}: {summary}", number=number + 1, summary=outline(capture))
        )
        return [capture]

    if plan.together:
        found = await asyncio.gather(*(one(hop) for hop in hops))
        captures += [capture for captures in found for capture in captures]
    else:
        for hop in hops:
            captures += await one(hop)


def _added(captures: Sequence[Capture], hop: Hop, number: int | None) -> list[Capture]:
    """The recording for this round, under the hop's name: the n-th of several, the only one in the first."""
    return [replace(c, hop=hop.name, kind=hop.kind, repeat=number) for c in captures[number or 0 :][:1]]


def unreached(captures: Sequence[Capture]) -> list[Capture]:
    """Captures of hops to which no connection could be made (the first of each hop)."""
    found: dict[str, Capture] = {}
    for capture in filter(reached.unreached, captures):
        found.setdefault(capture.hop, capture)
    return list(found.values())
