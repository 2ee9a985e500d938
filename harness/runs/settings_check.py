"""Ask every hop the same in several ways, and judge the ten settings that bite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.diagnose.answer import Answer, Finding, Verdict
from harness.phrase import joined, phrase, term
from harness.probe.exchange import probe
from harness.routes.model import Route
from harness.runs.asked_twice import Setting
from harness.runs.asking import look, speaks_http2_only
from harness.runs.biting import judged
from harness.runs.result import Tell, outline
from harness.timeline.reached import unanswered
from harness.timeline.row import row
from harness.wire.decode import decode

PROMPT = "Count from 1 to 12 in words, one word a line."


@dataclass(frozen=True, slots=True)
class HopSettings:
    hop: str
    settings: tuple[Setting, ...]

    def as_json(self) -> dict[str, Any]:
        return {"hop": self.hop, "settings": [setting.as_json() for setting in self.settings]}


async def check_settings(
    route: Route, *, prompt: str = PROMPT, tell: Tell | None = None
) -> tuple[Answer, list[HopSettings]]:
    """Every hop, innermost first: about eleven short answers each. Nothing is sent but to the route's addresses."""
    say = tell or (lambda line: None)
    found: list[HopSettings] = []
    rows: list[dict[str, Any]] = []
    away: list[str] = []
    for hop in route.hops:
        first = await probe(route, hop, prompt=prompt, repeat=0)
        say(outline(first))
        rows.append(row(decode(first)))
        if unanswered(first) and (only := await speaks_http2_only(route, hop, prompt, first)):
            found.append(HopSettings(hop.name, (only,)))
        elif unanswered(first):
            away.append(hop.name)
        else:
            seen = await look(route, hop, prompt, first)
            rows.append(row(decode(seen.second)))
            found.append(HopSettings(hop.name, tuple(judged(seen))))
    return _answer(rows, found, away), found


def _answer(rows: Sequence[dict[str, Any]], found: Sequence[HopSettings], away: Sequence[str]) -> Answer:
    """The innermost hop with a setting that hurts is the first bad one; what a hop inherits from inside is a fact."""
    findings: list[Finding] = []
    behind: set[tuple[str, str]] = set()
    for one in found:
        for setting in one.settings:
            if setting.state not in ("info", "warning", "error"):
                continue
            mark = (setting.name, setting.symptom)
            findings.append(_finding(one.hop, setting, inherited=mark in behind))
            behind.add(mark)
    order = {"error": 0, "warning": 1, "info": 2}
    findings.sort(key=lambda finding: order[finding.severity])
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        first = errors[0]
        verdict = Verdict(False, first.hop, first.symptom, "likely", first.summary)
    elif not found:
        why = phrase("Cannot tell: {hops} could not be reached.", hops=joined(", ", away))
        verdict = Verdict(None, None, None, "cannot-tell", why, phrase("a hop that answers"))
    else:
        verdict = Verdict(True, None, None, "likely", phrase("No setting that breaks a stream was found."))
    return Answer(tuple(rows), tuple(findings), verdict)


def _finding(hop: str, setting: Setting, *, inherited: bool) -> Finding:
    severity = "info" if inherited else setting.state
    evidence = dict(setting.evidence) | ({"inherited": True} if inherited else {})
    code = f"{setting.symptom}.setting-{setting.name.replace(' ', '-')}"
    return Finding(
        code,
        setting.symptom,
        severity,
        hop,
        phrase("{hop}: {words}.", hop=hop, words=term(setting.words)),
        evidence,
        fix=term(setting.fix) if setting.fix else None,
    )
