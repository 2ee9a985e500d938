"""The confusion table: every fault at every layer and every gateway, against what the diagnosis says of it.

Pure: the synthesiser makes the captures. A row is ``named`` when the right symptom stands among the findings of the
right hop, and ``right`` when the verdict agrees too. What is not named is listed, not hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.capture.model import Capture
from harness.diagnose.run import diagnose
from harness.lab.gateways.registry import gateways
from harness.lab.markers import Call
from harness.lab.registry import Fault, faults
from harness.lab.scenarios import Scenario, built_in
from harness.lab.synth import Place, chat, ladder, way

LADDER = ("engine", "gateway")
CHAT = ("engine", "gateway", "app", "proxy")
TEXT_FOR = {"utf8-split": "emoji"}
BROWSER_SEES_A_CUT = ("reset", "gzip-header")  # a browser cannot tell them from a truncation
NEEDS_A_STOP = ("not-cancelled",)


@dataclass(frozen=True, slots=True)
class Row:
    """``case``: fault or gateway by name, ``at``: the hop it was planted at, ``way``: ladder or chat (one exchange);
    ``expected``: symptom and severity, "" for healthy; ``said``: the verdict; ``found``: symptoms at that hop."""

    case: str
    at: str
    way: str
    expected: str
    severity: str
    healthy: bool | None
    first_bad_hop: str | None
    said: str | None
    found: tuple[str, ...]
    named: bool
    right: bool


def table(seed: int = 1, layers: bool = True) -> Iterator[Row]:
    """Every fault at every hop of a ladder and (``layers``) of one chat, then every gateway."""
    steady = replace(built_in()["lab-steady"], jitter=0.3)
    for name, fault in faults().items():
        scenario = replace(steady, text=TEXT_FOR.get(name, steady.text))
        for hop in LADDER:
            yield _row(name, hop, "ladder", *_expected(fault, hop), ladder(scenario, seed, _planted(LADDER, hop, name)))
        for hop in CHAT if layers else ():
            expected, severity = _expected(fault, hop)
            if hop == "proxy" and name in BROWSER_SEES_A_CUT:
                expected = "truncation"
            yield _row(name, hop, "chat", expected, severity, chat(scenario, seed, _planted(CHAT, hop, name)))
    for name, kind in gateways().items():
        symptom = "" if kind.symptom in NEEDS_A_STOP else kind.symptom
        scenario = replace(built_in()[kind.model], jitter=0.2)
        places = [replace(p, gateway=name) if p.name == "gateway" else p for p in way(*LADDER)]
        at = "engine" if _sick(scenario) else "gateway"
        yield _row(f"via {name}", at, "ladder", symptom, kind.severity, ladder(scenario, seed, places))


def text(rows: Sequence[Row]) -> str:
    """The table for people: counts first, then every row that is not right."""
    wrong = [row for row in rows if not row.right]
    lines = [f"{len(rows)} cases, {sum(r.named for r in rows)} named, {len(rows) - len(wrong)} right."]
    width = max((len(row.case) for row in wrong), default=0)
    for row in wrong:
        said = f"{row.said} at {row.first_bad_hop}" if row.said else "healthy" if row.healthy else "no verdict"
        state = "named, but" if row.named else "NOT NAMED:"
        wanted = f"{row.expected or 'healthy'} ({row.severity})" if row.expected else "healthy"
        lines.append(f"  {row.case:<{width}}  {row.way:<6} {row.at:<8} {wanted:<24} {state} {said}")
    return "\n".join(lines)


def _expected(fault: Fault, hop: str) -> tuple[str, str]:
    """(symptom, severity) of a fault planted there."""
    symptom = fault.symptom if hop == "engine" else fault.outer
    return ("" if symptom in NEEDS_A_STOP else symptom), fault.severity


def _planted(names: Sequence[str], hop: str, fault: str) -> list[Place]:
    return [replace(p, faults=(Call(fault),)) if p.name == hop else p for p in way(*names)]


def _sick(scenario: Scenario) -> bool:
    """Whether the source itself is already bad, so that the gateway is not the first bad hop."""
    return any(faults()[call.name].symptom in ("truncation", "reset") for call in scenario.faults)


def _row(case: str, at: str, how: str, symptom: str, severity: str, captures: Sequence[Capture]) -> Row:
    answer = diagnose(captures)
    verdict = answer.verdict
    hops = {at} | ({"network-path"} if at == "proxy" else set())
    serious = [f for f in answer.findings if f.severity in ("error", "warning")]
    found = tuple(sorted({f.symptom for f in serious if f.hop in hops}))
    hurts = bool(symptom) and severity == "error"
    named = symptom in found if symptom else verdict.healthy is True
    agrees = verdict.healthy is (not hurts) and (not hurts or verdict.first_bad_hop in hops)
    return Row(
        case, at, how, symptom, severity if symptom else "", verdict.healthy, verdict.first_bad_hop,
        verdict.symptom, found, named, named and agrees,
    )  # fmt: skip
