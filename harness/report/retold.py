"""A stored answer in another language: it was stored in English, so its captures are judged anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.capture.model import Capture
from harness.diagnose.run import diagnose
from harness.phrase import Translate

SENTENCES = ("summary", "cause", "fix")


def retold(answer: Mapping[str, Any], captures: Sequence[Capture], translate: Translate) -> dict[str, Any]:
    """The answer (docs/formats.md) with its sentences in the language of ``translate``; codes and figures stay.

    What the captures alone do not tell (a baseline, a gauge of the engine) keeps its English.
    """
    if translate is str or not captures:
        return dict(answer)
    anew = diagnose(captures).told(translate).as_json()
    known = {_key(finding): finding for finding in anew["findings"]}
    findings = [finding | _sentences(finding, known.get(_key(finding))) for finding in answer["findings"]]
    verdict = dict(answer["verdict"])
    if all(verdict[name] == anew["verdict"][name] for name in ("healthy", "first_bad_hop", "symptom")):
        verdict |= {name: anew["verdict"][name] for name in ("summary", "needs")}
    return dict(answer) | {"findings": findings, "verdict": verdict}


def _sentences(finding: Mapping[str, Any], anew: Mapping[str, Any] | None) -> dict[str, Any]:
    """The new sentences where code and figures are the same."""
    if anew is None or anew["evidence"] != finding["evidence"]:
        return {}
    return {name: anew[name] for name in SENTENCES}


def _key(finding: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(finding.get(name) for name in ("code", "hop", "repeat", "event", "severity"))
