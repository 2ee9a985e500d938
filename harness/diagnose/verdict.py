"""The verdict over all findings: the first bad hop, or healthy, or cannot tell and what would settle it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from harness.diagnose.answer import Finding, Verdict
from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import MIN_JUDGED
from harness.diagnose.view import View

DELAY = frozenset({"first-byte", "stall", "burst", "render"})
RANK = (
    "not-cancelled", "error", "not-streamed", "interleave", "malformed", "duplicate", "reorder", "loss", "encoding",
    "reset", "truncation", "rewrite", "content", "headers", "burst", "stall", "first-byte", "render",
)  # fmt: skip
"""Which symptom names the fault where one hop shows several: the more telling one first."""
ONCE = "burst.held"
LONGER = f"a longer answer: fewer than {MIN_JUDGED:.0f} events with content prove little of delay and order"


def judge(views: Sequence[View], pairs: Sequence[Pair | None], findings: Sequence[tuple[int, Finding]]) -> Verdict:
    errors = [(index, finding) for index, finding in findings if finding.severity == "error"]
    if errors:
        return _bad(views, pairs, errors)
    doubt = views[-1]  # what the outermost tap saw whole, the taps behind it had to give
    if not _judged(doubt):
        return Verdict(None, None, None, "cannot-tell", _doubt(doubt), _settle(doubt))
    warnings = [finding for _, finding in findings if finding.severity == "warning"]
    summary = "Healthy: complete, in order and in time"
    if any(view.ours_to_close for view in views):
        summary = "Healthy: stopped from our side, nothing wrong up to there"
    if len(views) > 1:
        summary += f" at all {len(views)} taps"
    if warnings:
        summary += (
            f"; {len(warnings)} warning{'s' if len(warnings) > 1 else ''} ({warnings[0].code} at {warnings[0].hop})"
        )
    if all(view.streamed and 0 < len(view.content) < MIN_JUDGED and not view.ours_to_close for view in views):
        return Verdict(True, None, None, "likely", summary + ".", LONGER)
    return Verdict(True, None, None, "certain", summary + ".", None)


def _bad(views: Sequence[View], pairs: Sequence[Pair | None], errors: list[tuple[int, Finding]]) -> Verdict:
    decisive = [row for row in errors if row[1].symptom not in DELAY] or errors
    index = min(row[0] for row in decisive)
    here = sorted((finding for at, finding in decisive if at == index), key=_rank)
    first = here[0]
    view, pair = views[index], pairs[index]
    confidence, needs = _confidence(view, pair, first, len(views))
    others = sorted({finding.hop for _, finding in errors if finding.hop != view.hop})
    more = f" Errors at {', '.join(others)} too." if others else ""
    return Verdict(
        False, view.hop, first.symptom, confidence, f"{first.symptom} at {view.hop}: {first.summary}{more}", needs
    )


def _rank(finding: Finding) -> tuple[int, int]:
    if finding.code == ONCE:
        return RANK.index("stall"), 1
    return (RANK.index(finding.symptom) if finding.symptom in RANK else len(RANK)), 0


def _confidence(view: View, pair: Pair | None, finding: Finding, count: int) -> tuple[str, str | None]:
    thin = _thin(view, finding)
    if count == 1 or pair is None:
        other = finding.evidence.get("alternative")
        sure = "likely" if view.kind != "engine" or thin or other else "certain"
        needs = _behind(view) if count == 1 or view.kind != "engine" else None
        if other:
            more = f"a run that rules out {other}: the same prompt once without streaming at {view.hop}"
            needs = f"{more}; and {needs}" if needs else more
        if thin:
            needs = f"{LONGER}; and {needs}" if needs else LONGER
        return sure, needs
    soft = finding.symptom in DELAY or finding.symptom in ("reorder", "loss", "rewrite", "duplicate")
    if soft and pair.sameness == "different":
        return (
            "likely",
            f"one exchange seen at both {pair.inner.hop} and {view.hop} (relay, inline tap, or one exchange id)",
        )
    if thin:
        return "likely", LONGER
    if finding.symptom in DELAY and pair.bound_ms > 0 and _within(finding, pair.bound_ms):
        return (
            "likely",
            f"clocks that agree better than {pair.bound_ms:.3g} ms: record both taps on one machine, or sync them anew",
        )
    return "certain", None


def _thin(view: View, finding: Finding) -> bool:
    """Too few events for a certain word on delay or order."""
    return finding.symptom in DELAY | {"reorder"} and len(view.content) < MIN_JUDGED


def _within(finding: Finding, bound: float) -> bool:
    size = max(
        (finding.evidence.get(name) or 0) for name in ("held_ms", "gap_ms", "added_ms", "waited_ms", "silence_ms")
    )
    return bool(size <= bound)


def _behind(view: View) -> str:
    if view.kind == "engine":
        return (
            "the engine's own log or metrics at that time: one vantage cannot tell the engine from the way to this tap"
        )
    how = "probe it from outside, or tap it inline"
    return f"a capture of the hop behind {view.hop} for the same prompt ({how}): one vantage cannot tell which began it"


def _judged(view: View) -> bool:
    """Whether something can be said of this capture at all."""
    if view.unreached or (view.end == "open" and not view.terminated):
        return False
    if view.end == "timeout" and not view.content:
        return False
    if view.stream.framing in ("json", "text"):  # a whole document: an answer only where none that streams was asked
        return view.refused or view.asked_to_stream is not None
    return len(view.stream) > 0 or view.end == "aborted" or view.refused


def _doubt(view: View) -> str:
    if view.unreached:
        return f"Cannot tell: {view.hop} was not reached ({view.why_unreached})."
    if view.end == "open":
        return f"Cannot tell: the recording of {view.hop} stopped before the answer ended."
    return f"Cannot tell: {view.hop} delivered no event that could be judged."


def _settle(view: View) -> str:
    if view.unreached:
        return f"an address at which {view.hop} answers: start it, or correct the URL"
    return f"a recording of {view.hop} to the end of the answer"


def merge(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict over repeats: the commonest first bad hop of those that failed."""
    if len(verdicts) == 1:
        return verdicts[0]
    bad = [verdict for verdict in verdicts if verdict.healthy is False]
    if not bad:
        none = [verdict for verdict in verdicts if verdict.healthy is None]
        best = none[0] if len(none) == len(verdicts) else next(v for v in verdicts if v.healthy)
        return Verdict(
            best.healthy, None, None, best.confidence, f"In {len(verdicts)} repeats: {best.summary}", best.needs
        )
    common = Counter((verdict.first_bad_hop, verdict.symptom) for verdict in bad).most_common(1)[0][0]
    first = next(verdict for verdict in bad if (verdict.first_bad_hop, verdict.symptom) == common)
    summary = f"In {len(bad)} of {len(verdicts)} repeats: {first.summary}"
    return Verdict(False, first.first_bad_hop, first.symptom, first.confidence, summary, first.needs)
