"""Is a run slower, lumpier or less complete than an earlier one, beyond what the repeats of both show as noise?

Per hop and figure: the medians over the repeats are compared. The noise is three robust standard deviations (1.4826 ×
the median absolute deviation) of the noisier side, and never less than a floor: a share of the baseline's median, and
a step that clocks and schedulers make anyway. A single repeat has no deviation, so its floor is wider.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean, median
from typing import Any

from harness.capture.model import Capture
from harness.diagnose.answer import Answer, Finding, Verdict
from harness.errors import InputError
from harness.phrase import phrase, say, term
from harness.timeline.metrics import Metrics, measure
from harness.timeline.outcome import outcome
from harness.wire.decode import decode

SIGMAS = 3.0
MAD = 1.4826  # turns a median absolute deviation into a standard deviation, for normal noise
SHARE, SHARE_ALONE = 0.1, 0.3  # of the baseline's median: with repeats, and where a side has fewer than three
GRACE = 1.5  # bad ends: so many times the baseline's share (plus one) are noise


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that is compared. ``step``: what two runs may differ by anyway, in its unit."""

    name: str
    symptom: str
    unit: str
    step: float
    of: Callable[[Metrics], float | None]


FIGURES = (
    Figure("TTFT", "first-byte", "ms", 20.0, lambda m: m.ttft_ms),
    # The mean, which lumps do not change: they are the coalescing's matter.
    Figure("ITL mean", "stall", "ms", 2.0, lambda m: fmean(m.itl_ms) if m.itl_ms else None),
    Figure("ITL p95", "stall", "ms", 5.0, lambda m: m.itl.p95),
    Figure("coalescing", "burst", "events a read", 0.5, lambda m: m.coalescing),
    Figure("end", "stall", "ms", 50.0, lambda m: m.end_ms),
)


@dataclass(frozen=True, slots=True)
class Change:
    """A figure of one hop in both runs, in its unit. ``worse``: above the baseline by more than ``noise``."""

    hop: str
    figure: str
    unit: str
    baseline: float
    now: float
    noise: float
    repeats: tuple[int, int]
    worse: bool

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        mark = "✗" if self.worse else " "
        figures = {
            "hop": self.hop,
            "figure": term(self.figure),
            "change": f"{self.baseline:.4g} → {self.now:.4g} {self.unit}",
        }
        return f"{mark} " + say("{hop}, {figure}: {change} (noise {noise})", **figures, noise=f"{self.noise:.3g}")


def changes(before: Sequence[Capture], now: Sequence[Capture]) -> list[Change]:
    """Every figure of every hop that both runs have, innermost first. Raises InputError where they share none."""
    old, new = _by_hop(before), _by_hop(now)
    shared = [hop for hop in new if hop in old]
    if not shared:
        there = ", ".join(old) or "none"
        raise InputError("the baseline has no hop of this run", f"its hops: {there}", "Name a run of the same route.")
    found = []
    for hop in shared:
        for figure in FIGURES:
            sides = [[value for m, _ in side[hop] if (value := figure.of(m)) is not None] for side in (old, new)]
            if sides[0] and sides[1]:
                found.append(_change(hop, figure, *sides))
        found.append(_ends(hop, [end for _, end in old[hop]], [end for _, end in new[hop]]))
    return found


def _by_hop(captures: Sequence[Capture]) -> dict[str, list[tuple[Metrics, str]]]:
    found: dict[str, list[tuple[Metrics, str]]] = {}
    for capture in captures:
        if capture.tap != "emit":
            stream = decode(capture)
            found.setdefault(capture.hop, []).append((measure(stream), outcome(stream)))
    return found


def _change(hop: str, figure: Figure, old: Sequence[float], new: Sequence[float]) -> Change:
    base, now = median(old), median(new)
    few = min(len(old), len(new)) < 3
    floor = max(figure.step, (SHARE_ALONE if few else SHARE) * base)
    noise = max(floor, SIGMAS * max(_deviation(old), _deviation(new)))
    counts = (len(old), len(new))
    return Change(hop, figure.name, figure.unit, base, now, noise, counts, now - base > noise)


def _deviation(values: Sequence[float]) -> float:
    middle = median(values)
    return MAD * median([abs(value - middle) for value in values])


def _ends(hop: str, old: Sequence[str], new: Sequence[str]) -> Change:
    """The share of answers that did not come to a good end."""
    shares = [100 * sum(end != "done" for end in ends) / len(ends) for ends in (old, new)]
    # One bad answer among many may be chance where the baseline had some too; where it had none, it is a change.
    noise = 0.0 if shares[0] == 0 else (GRACE - 1) * shares[0] + 100 / len(new)
    worse = shares[1] - shares[0] > noise
    return Change(hop, "bad ends", "%", shares[0], shares[1], noise, (len(old), len(new)), worse)


def held_against(answer: Answer, found: Sequence[Change]) -> Answer:
    """The answer with an error for each figure that got worse; a fault that it had before stays the verdict."""
    symptoms = {figure.name: figure.symptom for figure in FIGURES} | {"bad ends": "truncation"}
    worse = [change for change in found if change.worse]
    findings = tuple(_finding(change, symptoms[change.figure]) for change in worse)
    answer = replace(answer, findings=findings + answer.findings)
    if not findings or answer.verdict.healthy is False:
        return answer
    first = findings[0]
    return replace(answer, verdict=Verdict(False, first.hop, first.symptom, "likely", first.summary))


def _finding(change: Change, symptom: str) -> Finding:
    figures = {"hop": change.hop, "figure": term(change.figure), "noise": f"{change.noise:.3g}"}
    figures["change"] = f"{change.baseline:.4g} → {change.now:.4g} {change.unit}"
    return Finding(
        f"{symptom}.regression",
        symptom,
        "error",
        change.hop,
        phrase("{hop} got worse than the baseline: {figure} {change}, noise {noise}.", **figures),
        change.as_json(),
        cause=phrase(
            "Something changed since the baseline: load, a version, a setting of this hop or of one behind it."
        ),
        fix=phrase(
            "Compare what {hop} and the hops behind it ran then and now; repeat with --repeat 10 to be sure.",
            hop=change.hop,
        ),
    )
