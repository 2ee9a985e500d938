"""Does Stop reach the engine? Leave at chosen moments at every hop, and ask the engine when it noticed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import uuid4

from harness.capture.model import Capture
from harness.diagnose.answer import Answer, Finding, Verdict
from harness.diagnose.run import diagnose
from harness.diagnose.thresholds import STALL_MS
from harness.phrase import joined, phrase, say, term
from harness.routes.model import Hop, Route
from harness.runs.leaving import leave_after, leave_at, leave_early, leave_in_silence
from harness.runs.result import Tell
from harness.runs.witness import Tally, Witness
from harness.timeline.row import row
from harness.wire.decode import decode

PROMPT = "Count from 1 to 500 in words, one word a line."
MOMENTS = {"before the first token": 0, "in the middle": 8}
"""Reads with body bytes after which the connection is closed; 0 is right after the head, or EARLY without one."""
STALL, STALLED = "during a stall", " [[lab stall at=4 for=8s]]"
"""The lab falls silent when it is asked to; any other engine's silence has to be waited for."""
SILENCE = STALL_MS / 1000  # seconds without content that are a stall
WITHIN = 15.0  # seconds that one is waited for
TOLD = {True: phrase("the engine stopped"), False: phrase("the engine went on"), None: phrase("cannot tell")}
STALL_AFTER = 1.0  # seconds: the fourth word has long come, and the silence lasts
DELAYS = ("first-byte", "stall", "burst")
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


async def cancel(
    route: Route, *, prompt: str = PROMPT, silence: float = SILENCE, within: float = WITHIN, tell: Tell | None = None
) -> tuple[Answer, list[Trial]]:
    """Every hop, at every moment of :data:`MOMENTS` and in a stall. The engine is the route's innermost hop.

    An engine that is not the lab is left at its first ``silence`` seconds without content, should they come
    ``within`` so many seconds; 0 does not wait for them.
    """
    say = tell or (lambda line: None)
    witness = Witness(route.hops[0])
    trials: list[Trial] = []
    captures: list[Capture] = []
    aside: list[Capture] = []

    def note(trial: Trial, seen: list[Capture], kept: list[Capture] = captures) -> None:
        kept.extend(replace(capture, repeat=len(trials)) for capture in seen)
        trials.append(trial)
        say(str(trial))

    try:
        for hop in route.hops:
            for moment, reads in MOMENTS.items():
                trial, seen = await _trial(route, hop, moment, reads, prompt, witness)
                note(trial, seen)
            if trial.witness == "ledger":
                note(*await _trial(route, hop, STALL, None, prompt + STALLED, witness))
            elif within and trial.witness:
                # A silence that we wait for is no fault to be diagnosed.
                note(*await _stalled(route, hop, prompt, witness, silence, within), aside)
    finally:
        await witness.aclose()
    return _answer(captures, trials, aside), trials


async def _trial(
    route: Route, hop: Hop, moment: str, reads: int | None, prompt: str, witness: Witness
) -> tuple[Trial, list[Capture]]:
    key = uuid4().hex
    before = await witness.tally()
    async with witness.watching(before) as peak:
        if reads is None:
            seen = await leave_at(route, hop, prompt, key, STALL_AFTER)
        elif reads == 0:
            seen = await leave_early(route, hop, prompt, key, peak.last_look)
        else:
            seen = await leave_after(route, hop, prompt, key, reads, peak.last_look)
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
    return await _by_tally(hop, moment, left, before, witness, peak.risen), [seen]


async def _stalled(
    route: Route, hop: Hop, prompt: str, witness: Witness, silence: float, within: float
) -> tuple[Trial, list[Capture]]:
    """Leave in the first silence of an engine that falls silent when it likes."""
    before = await witness.tally()
    async with witness.watching(before) as peak:
        seen, silent = await leave_in_silence(route, hop, prompt, uuid4().hex, silence, within)
    left = seen.end.t if seen.end else None
    if not silent:
        ended = seen.end is not None and seen.end.kind != "aborted"
        words = {"silence": f"{silence:g}", "seconds": f"{(left or 0) / 1000:.1f}"}
        why = (
            phrase("no stall of {silence} s came: the answer ended after {seconds} s", **words)
            if ended
            else phrase("no stall of {silence} s came in {seconds} s", **words)
        )
        if before is not None:
            await witness.noticed(before, PATIENCE)  # so that the next trial begins with an engine at rest
        return Trial(hop.name, STALL, left, None, None, None, why), [seen]
    if before is None:
        why = phrase("the engine tells nothing from the side: neither ledger, metrics nor slots")
        return Trial(hop.name, STALL, left, None, None, None, why), [seen]
    return await _by_tally(hop, STALL, left, before, witness, peak.risen), [seen]


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


async def _by_tally(hop: Hop, moment: str, left: float | None, before: Tally, witness: Witness, risen: bool) -> Trial:
    """``risen``: whether the gauge showed the request while it ran."""
    seen = await witness.noticed(before, PATIENCE)
    if seen is None:
        still = {"gauge": before.name, "running": f"{before.running:g}", "seconds": f"{PATIENCE:g}"}
        why = phrase("{gauge} is still above {running} after {seconds} s", **still)
        return Trial(hop.name, moment, left, False, None, before.name, why)
    after = seen.seconds * 1000
    if seen.how == "counted":
        why = phrase("{counter} counted an abort after {after_ms} ms", counter=seen.counter, after_ms=round(after))
        return Trial(hop.name, moment, left, True, after, seen.counter, why)
    if not risen:
        why = phrase("{gauge} never showed the request: it may not have reached the engine", gauge=before.name)
        return Trial(hop.name, moment, left, None, None, before.name, why)
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


def _answer(captures: list[Capture], trials: list[Trial], aside: list[Capture]) -> Answer:
    """The diagnosis of the captures, and what only the trials know: gauges, and that nobody could tell. ``aside``:
    captures that are shown and not judged."""
    answer = diagnose(captures)
    if answer.verdict.symptom in DELAYS:  # decides only where nothing else is wrong; stops are not judged by their pace
        findings = tuple(replace(f, severity="warning") if f.severity == "error" else f for f in answer.findings)
        verdict = Verdict(True, None, None, "likely", phrase("Stopped from our side, nothing lost up to there."))
        answer = replace(answer, findings=findings, verdict=verdict)
    answer = replace(answer, captures=(*answer.captures, *(row(decode(capture)) for capture in aside)))
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
