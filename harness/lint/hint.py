"""A setting that hurts a stream, as a finding; and the findings of some files as an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.diagnose.answer import Answer, Finding, Verdict, worst_first
from harness.phrase import phrase, term

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
    symptom, said = code.partition(".")[0], term(summary)
    if spot.place:
        said = phrase("{place}: {summary}", place=spot.place, summary=said)
    return Finding(code, symptom, severity, HOP, said, {**where, **figures}, cause=term(cause), fix=term(fix))


def answer(findings: Sequence[Finding], unseen: Sequence[str] = ()) -> Answer:
    """Healthy unless a finding is an error; errors first. ``unseen``: files that show nothing to judge because parts of
    them are missing: with nothing else to say, there is no verdict."""
    told = worst_first(findings)
    errors = [finding for finding in told if finding.severity == "error"]
    if errors:
        verdict = Verdict(False, HOP, errors[0].symptom, "likely", errors[0].summary)
    elif unseen and not told:
        why = phrase(
            "Cannot tell: in {files} nothing that is here hands a request on, and includes are missing.",
            files=list(unseen),
        )
        verdict = Verdict(None, None, None, "cannot-tell", why, phrase("the whole configuration: `nginx -T` prints it"))
    else:
        said = phrase("no setting in force at a streaming place holds, cuts or repeats a stream")
        if told:
            said = phrase("no setting breaks a stream; {count} to know of", count=len(told))
        verdict = Verdict(True, None, None, "likely", said)
    return Answer((), tuple(told), verdict)
