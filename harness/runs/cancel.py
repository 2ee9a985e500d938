"""Does Stop reach the engine? Leave at chosen moments at every hop, and ask the engine when it noticed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import uuid4

from harness.capture.model import Capture
from harness.diagnose.answer import Answer, Finding, Verdict
from harness.diagnose.run import diagnose
from harness.phrase import joined, phrase, say, term
from harness.probe.clock import host_clock
from harness.probe.exchange import open_exchange, probe
from harness.probe.recorder import MemoryRecorder
from harness.routes.model import Hop, Route
from harness.runs.result import Tell
from harness.runs.witness import Tally, Witness

PROMPT = "Count from 1 to 500 in words, one word a line."
MOMENTS = {"before the first token": 0, "in the middle": 8}
"""Reads with body bytes after which the connection is closed; 0 is right after the head, or EARLY without one."""
EARLY = 0.4  # seconds that a head may take before we leave without it
STALL, STALLED = "during a stall", " [[lab stall at=4 for=8s]]"
"""Only the lab falls silent when it is asked to; a real engine's stall cannot be waited for."""
TOLD = {True: phrase("the engine stopped"), False: phrase("the engine went on"), None: phrase("cannot tell")}
STALL_AFTER = 1.0  # seconds: the fourth word has long come, and the silence lasts
PATIENCE = 4.0  # seconds that the engine gets to notice
PROMPT_MS = 1000.0  # an engine that is free again within this has noticed


@dataclass(frozen=True, slots=True)
class Trial:
    """One stop. ``cancelled`` None: cannot tell, for the reason in ``because``. ``after_ms``: since our close."""

    hop: str
    moment: str
    left_at_ms: float | None
    cancelled: bool | None
    after_ms: float | None
    witness: str | None
    because: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        figures = {"hop": self.hop, "moment": term(self.moment), "told": TOLD[self.cancelled], "because": self.because}
        return say("{hop}, {moment}: {told} ({because})", **figures)


async def cancel(route: Route, *, prompt: str = PROMPT, tell: Tell | None = None) -> tuple[Answer, list[Trial]]:
    """Every hop, at every moment of :data:`MOMENTS`. The engine is the route's innermost hop."""
    say = tell or (lambda line: None)
    witness = Witness(route.hops[0])
    trials: list[Trial] = []
    captures: list[Capture] = []

    def note(trial: Trial, seen: list[Capture]) -> None:
        captures.extend(replace(capture, repeat=len(trials)) for capture in seen)
        trials.append(trial)
        say(str(trial))

    try:
        for hop in route.hops:
            for moment, reads in MOMENTS.items():
                trial, seen = await _trial(route, hop, moment, reads, prompt, witness)
                note(trial, seen)
            if trial.witness == "ledger":
                note(*await _trial(route, hop, STALL, None, prompt + STALLED, witness))
    finally:
        await witness.aclose()
    return _answer(captures, trials), trials


async def _trial(
    route: Route, hop: Hop, moment: str, reads: int | None, prompt: str, witness: Witness
) -> tuple[Trial, list[Capture]]:
    key = uuid4().hex
    before = await witness.tally()
    if reads is None:
        seen = await _leave_later(route, hop, prompt, key)
    elif reads == 0:
        seen = await _leave_early(route, hop, prompt, key)
    else:
        seen = await probe(route, hop, prompt=prompt, exchange_id=key, client_leaves_after=reads)
    left = seen.end.t if seen.end else None
    if seen.end is None or seen.end.kind != "aborted":
        how = seen.end.detail or seen.end.kind if seen.end else "open"
        return Trial(
            hop.name, moment, left, None, None, None, phrase("the answer ended before we left: {how}", how=term(how))
        ), [seen]
    record = await witness.ledger(key, PATIENCE)
    if record is not None:
        return _by_ledger(hop, moment, seen, replace(record, hop=route.hops[0].name)), [record, seen]
    if before is None:
        why = phrase("the engine tells nothing from the side: neither ledger, metrics nor slots")
        return Trial(hop.name, moment, left, None, None, None, why), [seen]
    return await _by_tally(hop, moment, left, before, witness), [seen]


async def _leave_early(route: Route, hop: Hop, prompt: str, key: str) -> Capture:
    """Leave right after the head, or without one: SGLang for one sends it with the first token."""
    said = [{"role": "user", "content": prompt}]
    wire = "" if hop.wire == "chat" else hop.wire
    recorder = MemoryRecorder(Capture(hop.name, hop.kind, "read", wire, key, route.name), host_clock())
    with suppress(TimeoutError):
        async with (
            asyncio.timeout(EARLY),
            open_exchange(route, hop, said, exchange_id=key, probing=True, recorder=recorder) as exchange,
        ):
            exchange.close("client-left")
    return recorder.capture("read")


async def _leave_later(route: Route, hop: Hop, prompt: str, key: str) -> Capture:
    """Leave by the clock, in the silence."""
    said = [{"role": "user", "content": prompt}]
    async with open_exchange(route, hop, said, exchange_id=key, probing=True) as exchange:
        with suppress(TimeoutError):
            async with asyncio.timeout(STALL_AFTER):
                async for _ in exchange:
                    pass
        exchange.close("client-left")
        return exchange.capture()


def _by_ledger(hop: Hop, moment: str, seen: Capture, record: Capture) -> Trial:
    """Both sides of one exchange, on one clock as far as the two start times tell."""
    assert seen.end is not None and record.end is not None
    aborted = record.end.kind == "aborted"
    # The engine's clock starts when it has the request, a moment after ours: the difference is the way there.
    after = max(0.0, record.end.t - seen.end.t)
    why = phrase(
        "the ledger says {end}, {after_ms} ms after our close", end=term(record.end.kind), after_ms=round(after)
    )
    return Trial(hop.name, moment, seen.end.t, aborted, after, "ledger", why)


async def _by_tally(hop: Hop, moment: str, left: float | None, before: Tally, witness: Witness) -> Trial:
    seen = await witness.noticed(before, PATIENCE)
    if seen is None:
        still = {"gauge": before.name, "running": f"{before.running:g}", "seconds": f"{PATIENCE:g}"}
        why = phrase("{gauge} is still above {running} after {seconds} s", **still)
        return Trial(hop.name, moment, left, False, None, before.name, why)
    after = seen.seconds * 1000
    if seen.how == "counted":
        why = phrase("{counter} counted an abort after {after_ms} ms", counter=before.counter, after_ms=round(after))
        return Trial(hop.name, moment, left, True, after, before.counter, why)
    figures: dict[str, Any] = {"gauge": before.name, "running": f"{before.running:g}", "after_ms": round(after)}
    why = phrase("{gauge} is back at {running} after {after_ms} ms", **figures)
    noticed: bool | None = after <= PROMPT_MS or None
    if before.aborted is not None:
        noticed, why = (
            None,
            phrase(
                "{why}, but {counter} counted no abort: it may have come to its own end",
                why=why,
                counter=before.counter,
            ),
        )
    return Trial(hop.name, moment, left, noticed, after, before.name, why)


def _answer(captures: list[Capture], trials: list[Trial]) -> Answer:
    """The diagnosis of the captures, and what only the trials know: gauges, and that nobody could tell."""
    answer = diagnose(captures)
    broken = [(n, t) for n, t in enumerate(trials) if t.cancelled is False and t.witness != "ledger"]
    if broken:
        findings = tuple(_ran_on(number, trial) for number, trial in broken)
        hop = broken[0][1].hop
        verdict = Verdict(
            False,
            hop,
            "not-cancelled",
            "likely",
            phrase(
                "{symptom} at {hop}: {summary}", symptom=term("not-cancelled"), hop=hop, summary=broken[0][1].because
            ),
        )
        return Answer(answer.captures, answer.findings + findings, verdict)
    if answer.verdict.healthy and not any(trial.cancelled for trial in trials):
        why = phrase("Cannot tell: {reasons}.", reasons=joined("; ", sorted({trial.because for trial in trials})))
        needs = phrase("an engine with /metrics or /slots, or the lab in its place")
        return Answer(answer.captures, answer.findings, Verdict(None, None, None, "cannot-tell", why, needs))
    return answer


def _ran_on(number: int, trial: Trial) -> Finding:
    return Finding(
        "not-cancelled.busy",
        "not-cancelled",
        "error",
        trial.hop,
        phrase(
            "{hop} was closed {moment}, and the engine went on: {because}.",
            hop=trial.hop,
            moment=term(trial.moment),
            because=trial.because,
        ),
        {"left_at_ms": trial.left_at_ms, "gauge": trial.witness},
        at_ms=trial.left_at_ms,
        cause=phrase("{hop} or a hop behind it does not pass the close on.", hop=trial.hop),
        fix=phrase("Close the inner connection when the client goes."),
        repeat=number,
    )
