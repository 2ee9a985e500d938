"""The verdict over all findings: the first bad hop, or healthy, or cannot tell and what would settle it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from harness.diagnose.answer import Finding, Verdict
from harness.diagnose.comparable import timed
from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import MIN_JUDGED
from harness.diagnose.view import View
from harness.phrase import Phrase, phrase, term

DELAY = frozenset({"first-byte", "stall", "burst", "render"})
RANK = (
    "not-cancelled", "error", "not-streamed", "interleave", "malformed", "duplicate", "reorder", "loss", "encoding",
    "reset", "truncation", "rewrite", "content", "headers", "burst", "stall", "first-byte", "render",
)  # fmt: skip
"""Which symptom names the fault where one hop shows several: the more telling one first."""
ONCE = "burst.held"
LONGER = phrase(
    "a longer answer: fewer than {least} events with content prove little of delay and order", least=int(MIN_JUDGED)
)

TIMES = phrase("a recording with times, to judge delays: curl -N --trace-time --trace FILE")


def judge(views: Sequence[View], pairs: Sequence[Pair | None], findings: Sequence[tuple[int, Finding]]) -> Verdict:
    errors = [(index, finding) for index, finding in findings if finding.severity == "error"]
    if errors:
        return _bad(views, pairs, errors)
    doubt = views[-1]  # what the outermost tap saw whole, the taps behind it had to give
    foreign = doubt.unknown and any(view.content for view in views)  # where the text went, nobody can see
    if foreign or not _judged(doubt):
        return Verdict(None, None, None, "cannot-tell", _doubt(doubt), _settle(doubt))
    warnings = [finding for _, finding in findings if finding.severity == "warning"]
    summary = _healthy(views, warnings)
    if all(view.streamed and 0 < len(view.content) < MIN_JUDGED and not view.ours_to_close for view in views):
        return Verdict(True, None, None, "likely", summary, LONGER)
    if not all(timed(view.capture) for view in views):
        return Verdict(True, None, None, "likely", summary, TIMES)
    return Verdict(True, None, None, "certain", summary, None)


def _healthy(views: Sequence[View], warnings: Sequence[Finding]) -> Phrase:
    summary = phrase("Healthy: complete, in order and in time")
    if not all(timed(view.capture) for view in views):
        summary = phrase("Healthy: complete and in order (of delay it tells nothing)")
    stopped = any(view.ours_to_close or (view.end == "timeout" and not view.text_complete) for view in views)
    if stopped and len(views) > 1:
        summary = phrase(
            "Healthy: stopped from our side, nothing wrong up to there at any of {count} taps", count=len(views)
        )
    elif stopped:
        summary = phrase("Healthy: stopped from our side, nothing wrong up to there")
    elif len(views) > 1:
        summary = phrase("{summary} at all {count} taps", summary=summary, count=len(views))
    if not warnings:
        return phrase("{summary}.", summary=summary)
    first = {"summary": summary, "code": warnings[0].code, "hop": warnings[0].hop}
    if len(warnings) == 1:
        return phrase("{summary}; 1 warning ({code} at {hop}).", **first)
    return phrase("{summary}; {count} warnings ({code} at {hop}).", count=len(warnings), **first)


def _bad(views: Sequence[View], pairs: Sequence[Pair | None], errors: list[tuple[int, Finding]]) -> Verdict:
    decisive = [row for row in errors if row[1].symptom not in DELAY] or errors
    index = min(row[0] for row in decisive)
    here = sorted((finding for at, finding in decisive if at == index), key=_rank)
    first = here[0]
    view, pair = views[index], pairs[index]
    confidence, needs = _confidence(view, pair, first, len(views))
    others = sorted({finding.hop for _, finding in errors if finding.hop != view.hop})
    said = {"symptom": term(first.symptom), "hop": view.hop, "summary": first.summary}
    summary = phrase("{symptom} at {hop}: {summary}", **said)
    if others:
        summary = phrase("{symptom} at {hop}: {summary} Errors at {others} too.", **said, others=others)
    return Verdict(False, view.hop, first.symptom, confidence, summary, needs)


def _rank(finding: Finding) -> tuple[int, int]:
    if finding.code == ONCE:
        return RANK.index("stall"), 1
    return (RANK.index(finding.symptom) if finding.symptom in RANK else len(RANK)), 0


def _confidence(view: View, pair: Pair | None, finding: Finding, count: int) -> tuple[str, Phrase | None]:
    thin = _thin(view, finding)
    if count == 1 or pair is None:
        other = finding.evidence.get("alternative")
        sure = "likely" if view.kind != "engine" or thin or other else "certain"
        needs = _behind(view) if count == 1 or view.kind != "engine" else None
        if other:
            more = phrase(
                "a run that rules out {other}: the same prompt once without streaming at {hop}",
                other=term(other),
                hop=view.hop,
            )
            needs = _both(more, needs)
        if thin:
            needs = _both(LONGER, needs)
        return sure, needs
    soft = finding.symptom in DELAY or finding.symptom in ("reorder", "loss", "rewrite", "duplicate")
    if soft and pair.sameness == "different":
        return (
            "likely",
            phrase(
                "one exchange seen at both {inner} and {hop} (relay, inline tap, or one exchange id)",
                inner=pair.inner.hop,
                hop=view.hop,
            ),
        )
    if thin:
        return "likely", LONGER
    if finding.symptom in DELAY and pair.bound_ms > 0 and _within(finding, pair.bound_ms):
        return (
            "likely",
            phrase(
                "clocks that agree better than {bound} ms: record both taps on one machine, or sync them anew",
                bound=f"{pair.bound_ms:.3g}",
            ),
        )
    return "certain", None


def _both(one: Phrase, other: Phrase | None) -> Phrase:
    return phrase("{one}; and {other}", one=one, other=other) if other else one


def _thin(view: View, finding: Finding) -> bool:
    """Too few events for a certain word on delay or order."""
    return finding.symptom in DELAY | {"reorder"} and len(view.content) < MIN_JUDGED


def _within(finding: Finding, bound: float) -> bool:
    size = max(
        (finding.evidence.get(name) or 0) for name in ("held_ms", "gap_ms", "added_ms", "waited_ms", "silence_ms")
    )
    return bool(size <= bound)


def _behind(view: View) -> Phrase:
    if view.kind == "engine":
        return phrase(
            "the engine's own log or metrics at that time: one vantage cannot tell the engine from the way to this tap"
        )
    return phrase(
        "a capture of the hop behind {hop} for the same prompt (probe it from outside, or tap it inline): one vantage "
        "cannot tell which began it",
        hop=view.hop,
    )


def _judged(view: View) -> bool:
    """Whether something can be said of this capture at all."""
    if view.unreached or (view.end == "open" and not view.terminated):
        return False
    if view.end == "timeout" and not view.content:
        return False
    if view.stream.framing in ("json", "text"):  # a whole document: an answer only where none that streams was asked
        return view.refused or view.asked_to_stream is not None
    return len(view.stream) > 0 or view.end == "aborted" or view.refused


def _doubt(view: View) -> Phrase:
    if view.unreached:
        return phrase("Cannot tell: {hop} was not reached ({why}).", hop=view.hop, why=view.why_unreached)
    if view.end == "open":
        return phrase("Cannot tell: the recording of {hop} stopped before the answer ended.", hop=view.hop)
    return phrase("Cannot tell: {hop} delivered no event that could be judged.", hop=view.hop)


def _settle(view: View) -> Phrase:
    if view.unreached:
        return phrase("an address at which {hop} answers: start it, or correct the URL", hop=view.hop)
    if view.unknown:
        return phrase("an answer of {hop} in a dialect that is known here: of its events none is", hop=view.hop)
    return phrase("a recording of {hop} to the end of the answer", hop=view.hop)


def merge(verdicts: Sequence[Verdict], hops: Sequence[str] = ()) -> Verdict:
    """One verdict over repeats: the commonest first bad hop of those that failed, of equally common ones the innermost
    of ``hops``; delay decides only where no repeat shows more."""
    if len(verdicts) == 1:
        return verdicts[0]
    bad = [verdict for verdict in verdicts if verdict.healthy is False]
    if not bad:
        none = [verdict for verdict in verdicts if verdict.healthy is None]
        best = none[0] if len(none) == len(verdicts) else next(v for v in verdicts if v.healthy)
        summary = phrase("In {count} repeats: {summary}", count=len(verdicts), summary=best.summary)
        return Verdict(best.healthy, None, None, best.confidence, summary, best.needs)
    decisive = [verdict for verdict in bad if verdict.symptom not in DELAY] or bad
    counted_by = Counter((verdict.first_bad_hop, verdict.symptom) for verdict in decisive)
    place = {hop: index for index, hop in reversed(list(enumerate(hops)))}
    common = min(counted_by, key=lambda found: (-counted_by[found], place.get(found[0] or "", 0)))
    first = next(verdict for verdict in bad if (verdict.first_bad_hop, verdict.symptom) == common)
    counted = {"bad": len(bad), "count": len(verdicts), "summary": first.summary}
    summary = phrase("In {bad} of {count} repeats: {summary}", **counted)
    return Verdict(False, first.first_bad_hop, first.symptom, first.confidence, summary, first.needs)
