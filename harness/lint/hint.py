"""A setting that hurts a stream, as a finding; and the findings of some files as an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.diagnose.answer import Answer, Finding, Verdict, worst_first

HOP = "proxy"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a setting stands: file, line (0: nowhere, a default is in force), and the block it rules."""

    file: str
    line: int
    place: str
    product: str


def hint(
    code: str, severity: str, spot: Spot, summary: str, cause: str, fix: str, **figures: Any
) -> Finding:  # fmt: skip
    """A finding whose ``code`` is SYMPTOM.CASE, with the spot and ``figures`` as its evidence."""
    where: dict[str, Any] = {"product": spot.product, "file": spot.file, "place": spot.place}
    if spot.line:
        where["line"] = spot.line
    at = f"{spot.place}: " if spot.place else ""
    symptom = code.partition(".")[0]
    return Finding(code, symptom, severity, HOP, at + summary, {**where, **figures}, cause=cause, fix=fix)


def answer(findings: Sequence[Finding]) -> Answer:
    """Healthy unless a finding is an error; errors first."""
    told = worst_first(findings)
    errors = [finding for finding in told if finding.severity == "error"]
    if errors:
        verdict = Verdict(False, HOP, errors[0].symptom, "likely", errors[0].summary)
    else:
        said = "no setting in force at a streaming place holds, cuts or repeats a stream"
        if told:
            said = f"no setting breaks a stream; {len(told)} to know of"
        verdict = Verdict(True, None, None, "likely", said)
    return Answer((), tuple(told), verdict)
