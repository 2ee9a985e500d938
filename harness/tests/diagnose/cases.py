"""The recorded cases and how an answer is held against what a perfect tool says of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from harness.capture.format import loads
from harness.capture.model import Capture
from harness.diagnose.answer import Answer

HERE = Path(__file__).parent / "cases"


class Case(NamedTuple):
    id: str
    title: str
    captures: tuple[Capture, ...]
    expect: dict[str, Any]


@cache
def cases(folder: str) -> tuple[Case, ...]:
    """The scored cases of ``field`` (reproductions of public fault reports), ``real`` or ``parts`` (recordings)."""
    rows = json.loads((HERE / folder / "cases.json").read_text())
    return tuple(
        Case(
            row["id"],
            row["title"],
            tuple(loads((HERE / folder / row["id"] / name).read_bytes(), name) for name in row["captures"]),
            row["expect"],
        )
        for row in rows
        if row["scored"]
    )


def both() -> tuple[Case, ...]:
    return cases("field") + cases("real")


def every() -> tuple[Case, ...]:
    """Those and ``parts``: real proxies, servers and gateways under settings that the others do not have."""
    return both() + cases("parts")


def misses(expect: dict[str, Any], answer: Answer) -> str:
    """Empty when the answer holds in symptom and hop, else what is wrong."""
    verdict, findings = answer.verdict, answer.findings
    errors = [finding for finding in findings if finding.severity == "error"]
    told = f"got {verdict.first_bad_hop}: {sorted({f'{f.severity}/{f.code}@{f.hop}' for f in findings})}"
    if expect["severity"] == "none":
        return "" if verdict.healthy and not errors else f"false alarm, {told}"
    pool = errors if expect["severity"] == "error" else [f for f in findings if f.severity in ("error", "warning")]
    hits = [finding for finding in pool if finding.symptom in expect["symptoms"]]
    if not hits or (expect["severity"] == "error" and verdict.healthy is not False):
        return f"wanted {expect['severity']} {expect['symptoms']}, {told}"
    placed = verdict.first_bad_hop == expect["hop"]
    placed |= expect["severity"] == "warning" and any(hit.hop == expect["hop"] for hit in hits)
    return "" if placed else f"wanted it at {expect['hop']}, {told}"
