"""Whose finding it is: a symptom belongs to the first hop at which it shows; further out it is inherited.

What a hop merely hands on (or suffers as a consequence) stays in the answer as ``info`` with ``inherited_from``. The
exception is laundering: a clear refusal that the next hop hides is that next hop's fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.diagnose.answer import Finding
from harness.diagnose.pair import Pair
from harness.diagnose.thresholds import FIRST_BYTE_PAIR_RATIO
from harness.diagnose.view import View

BROKEN = frozenset({"truncation", "reset", "error", "not-streamed"})
"""Symptoms that stand for each other across a hop: a reset inside is a cut, an error or a 502 outside."""


def attribute(
    views: Sequence[View],
    pairs: Sequence[Pair | None],
    alone: Sequence[list[Finding]],
    between: Sequence[list[Finding]],
) -> list[tuple[int, Finding]]:
    """All findings with the index of their capture; inherited ones turned into ``info``."""
    out: list[tuple[int, Finding]] = []
    shown: list[list[Finding]] = []
    for index in range(len(views)):
        pair = pairs[index]
        inner = shown[pair.inner.index] if pair else []
        skipped = shown[index - 1] if index and (pair is None or pair.inner.index != index - 1) else []
        behind = [*inner, *skipped]
        own = _once(alone[index], between[index], pair)
        hidden = any(finding.code == "error.hidden" for finding in between[index])
        mine = [_again(finding, behind, pair) for finding in between[index]]
        for finding in own:
            source = None if hidden and finding.symptom in BROKEN else _source(finding, behind)
            if pair and pair.our_limit and finding.symptom in BROKEN:
                source = source or _waited(inner)
            mine.append(_inherited(finding, source) if source else finding)
        if hidden and pair:
            out = [(at, _told(finding)) for at, finding in out]
        shown.append([*between[index], *own])
        out += [(index, finding) for finding in mine]
    return out


def _again(finding: Finding, inner: list[Finding], pair: Pair | None) -> Finding:
    """Against another exchange, a hop behind a sick one shows the same sickness anew: it is not this hop's."""
    if pair and pair.sameness != "same" and finding.symptom in ("burst", "reorder", "duplicate", "loss", "rewrite"):
        source = next((other for other in inner if other.code == finding.code), None)
        return _inherited(finding, source) if source else finding
    return finding


def _told(finding: Finding) -> Finding:
    """A clear refusal further in is no fault of its own once a hop in front hides it."""
    clear = finding.symptom == "error" and finding.code != "error.hidden" and finding.severity == "error"
    return replace(finding, severity="info") if clear else finding


def _once(alone: list[Finding], between: list[Finding], pair: Pair | None) -> list[Finding]:
    """Without what the comparison with the inner hop says better."""
    compared = {finding.symptom for finding in between if finding.severity == "error"}
    kept = []
    for finding in alone:
        if finding.symptom in ("first-byte", "burst") and finding.symptom in compared:
            continue
        if finding.code == "interleave.index-lost" and "interleave" in compared:
            continue
        if finding.symptom == "stall" and finding.code == "stall.gap" and "burst" in compared:
            finding = replace(finding, severity="info")
        if finding.code == "burst.at-once" and pair and len(pair.timed) >= 0.8 * len(pair.outer.content):
            finding = replace(finding, severity="info")
        base = pair.inner.ttft_ms if pair and finding.symptom == "first-byte" else None
        if pair and base and finding.evidence.get("waited_ms", 0) <= FIRST_BYTE_PAIR_RATIO * base:
            finding = _inherited(finding, finding, pair.inner.hop)
        kept.append(finding)
    return kept


def _source(finding: Finding, inner: list[Finding]) -> Finding | None:
    """The inner finding that this one hands on, or None."""
    for other in inner:
        if (
            finding.symptom in BROKEN
            and other.symptom in BROKEN
            and other.severity == "error"
            and finding.severity == "error"
        ):
            return other
        if _lesser(other, finding):
            continue
        if finding.symptom == other.symptom == "stall":
            if (other.evidence.get("gap_ms") or 0) >= 0.5 * (finding.evidence.get("gap_ms") or 0):
                return other
        elif finding.symptom == other.symptom == "first-byte" or finding.code == other.code:
            return other
    return None


def _lesser(other: Finding, finding: Finding) -> bool:
    """What hurts here only looked fragile, or was another thing and no fault, further in: this hop's own doing."""
    if finding.severity != "error" or finding.symptom == "first-byte":
        return False
    return other.severity == "warning" or (other.severity == "info" and other.code != finding.code)


def _waited(inner: list[Finding]) -> Finding | None:
    """The silence for which our relay gave up: its cut, or its 504, only hands that on."""
    return next((f for f in inner if f.symptom in ("first-byte", "stall") and f.severity == "error"), None)


def _inherited(finding: Finding, source: Finding, hop: str = "") -> Finding:
    evidence = dict(finding.evidence) | {"inherited_from": hop or source.hop}
    return replace(finding, severity="info", evidence=evidence)
