"""An answer as JUnit XML, so that a CI server shows which hop failed and why."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from harness.diagnose.answer import Answer, Finding

# What XML 1.0 cannot hold, not even escaped.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def junit(answer: Answer, name: str) -> str:
    """One test case a capture, failed by the error findings of its hop, and one for the verdict."""
    suite = ET.Element("testsuite", name=_legal(name))
    failures = sum(_case(suite, name, row, answer.findings) for row in answer.captures)
    case = ET.SubElement(suite, "testcase", classname=_legal(name), name="verdict")
    verdict = answer.verdict
    if verdict.healthy is False:
        failures += 1
        message = f"{verdict.first_bad_hop}: {verdict.symptom}"
        ET.SubElement(case, "failure", type=verdict.symptom or "", message=_legal(message)).text = _legal(
            verdict.summary
        )
    elif verdict.healthy is None:
        ET.SubElement(case, "error", type="cannot-tell", message=_legal(verdict.summary))
    suite.set("tests", str(len(answer.captures) + 1))
    suite.set("failures", str(failures))
    suite.set("errors", str(int(verdict.healthy is None)))
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


def _case(suite: ET.Element, name: str, row: Mapping[str, Any], findings: tuple[Finding, ...]) -> int:
    repeat = row.get("repeat")
    title = f"{row['hop']} {row['tap']}" + ("" if repeat is None else f" {repeat}")
    seconds = ((row.get("timing") or {}).get("e2e_ms") or 0.0) / 1000
    case = ET.SubElement(suite, "testcase", classname=_legal(name), name=_legal(title), time=f"{seconds:.3f}")
    mine = [f for f in findings if f.hop == row["hop"] and f.severity == "error" and f.repeat in (None, repeat)]
    for finding in mine:
        told = "\n".join(part for part in (finding.summary, finding.cause, finding.fix) if part)
        ET.SubElement(case, "failure", type=finding.code, message=_legal(finding.summary)).text = _legal(told)
    return int(bool(mine))


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)
