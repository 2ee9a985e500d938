"""The answer of every diagnosing command: captures, findings, verdict. JSON shape: docs/formats.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from harness.phrase import Translate, told

SYMPTOMS = (
    "first-byte", "stall", "burst", "truncation", "reset", "reorder", "duplicate", "loss", "interleave",
    "encoding", "malformed", "rewrite", "headers", "not-streamed", "error", "not-cancelled", "aborted",
    "content", "render",
)  # fmt: skip
SEVERITIES = ("error", "warning", "info")
"""From the worst down: a user is hurt; fragile or off-spec; a hazard or a fact."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault or hazard. ``event`` is the 0-based index in that hop's capture, ``at_ms`` on its clock."""

    code: str
    symptom: str
    severity: str
    hop: str
    summary: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    between: tuple[str, str] | None = None
    event: int | None = None
    at_ms: float | None = None
    cause: str | None = None
    fix: str | None = None
    repeat: int | None = None

    def told(self, translate: Translate) -> Finding:
        """Its sentences in another language; code and figures stay."""
        summary, cause, fix = (told(text, translate) for text in (self.summary, self.cause, self.fix))
        return replace(self, summary=summary, cause=cause, fix=fix)

    def as_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "code": self.code, "symptom": self.symptom, "severity": self.severity, "hop": self.hop,
            "between": list(self.between) if self.between else None, "event": self.event, "at_ms": self.at_ms,
            "summary": self.summary, "evidence": dict(self.evidence), "cause": self.cause, "fix": self.fix,
        }  # fmt: skip
        if self.repeat is not None:
            row["repeat"] = self.repeat
        return row


@dataclass(frozen=True, slots=True)
class Verdict:
    """The first bad hop, or healthy, or cannot tell; ``needs`` says what would settle it."""

    healthy: bool | None
    first_bad_hop: str | None
    symptom: str | None
    confidence: str  # certain | likely | cannot-tell
    summary: str
    needs: str | None = None

    def told(self, translate: Translate) -> Verdict:
        return replace(self, summary=told(self.summary, translate), needs=told(self.needs, translate))

    def as_json(self) -> dict[str, Any]:
        return {
            "healthy": self.healthy, "first_bad_hop": self.first_bad_hop, "symptom": self.symptom,
            "confidence": self.confidence, "needs": self.needs, "summary": self.summary,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything a diagnosing command says. ``captures`` are rows as in docs/formats.md, innermost first."""

    captures: tuple[dict[str, Any], ...]
    findings: tuple[Finding, ...]
    verdict: Verdict

    def told(self, translate: Translate) -> Answer:
        """The same answer in another language: ``translate`` turns templates; codes and figures are the data."""
        findings = tuple(finding.told(translate) for finding in self.findings)
        return replace(self, findings=findings, verdict=self.verdict.told(translate))

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": 1,
            "captures": [dict(row) for row in self.captures],
            "findings": [finding.as_json() for finding in self.findings],
            "verdict": self.verdict.as_json(),
        }


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by severity; those of one severity keep their order."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
