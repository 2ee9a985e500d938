"""The JUnit file says which hop failed, in XML that any reader takes."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from harness.diagnose.answer import Answer, Finding, Verdict
from harness.report.junit import junit

ROWS = (
    {"hop": "engine", "tap": "read", "repeat": 0, "timing": {"e2e_ms": 1500.0}},
    {"hop": "proxy", "tap": "read", "repeat": 0, "timing": {"e2e_ms": None}},
)
FOUND = Finding("burst.until-end", "burst", "error", "proxy", "all at once \x1b[31m\x00", cause="<buffer>", fix="off")


def test_a_fault_fails_its_hop_and_the_verdict():
    verdict = Verdict(False, "proxy", "burst", "certain", "burst at proxy")
    suite = ET.fromstring(junit(Answer(ROWS, (FOUND,), verdict), "r\ud800"))
    cases = {case.get("name"): case for case in suite}
    assert list(cases) == ["engine read 0", "proxy read 0", "verdict"]
    assert cases["engine read 0"].find("failure") is None and cases["engine read 0"].get("time") == "1.500"
    failure = cases["proxy read 0"].find("failure")
    assert failure.get("type") == "burst.until-end" and "\x00" not in failure.text and "<buffer>" in failure.text
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "2", "0")


@pytest.mark.parametrize(("healthy", "errors"), [(True, "0"), (None, "1")])
def test_no_verdict_is_an_error_and_a_healthy_one_is_neither(healthy, errors):
    warning = Finding("headers.x", "headers", "warning", "proxy", "odd")
    verdict = Verdict(healthy, None, None, "certain", "so")
    suite = ET.fromstring(junit(Answer(ROWS, (warning,), verdict), "r"))
    assert (suite.get("failures"), suite.get("errors")) == ("0", errors)
