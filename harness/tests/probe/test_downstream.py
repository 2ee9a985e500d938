"""What the server's connection lends to the relay: here, names of the statuses that an upstream may answer with."""

from __future__ import annotations

import pytest
from twisted.web.http import Request
from twisted.web.test.requesthelper import DummyChannel

from harness.probe.downstream import name_statuses


@pytest.mark.parametrize(
    ("status", "reason"),
    [(422, b"Unprocess"), (429, b"Too Many Requests"), (431, b"Request Header"), (503, b"Service Unavailable"),
     (524, b"A Timeout Occurred"), (529, b"Overloaded")],
)  # fmt: skip
def test_an_upstream_s_status_is_passed_on_under_its_name(status, reason):
    name_statuses()
    answer = Request(DummyChannel())
    answer.setResponseCode(status)
    assert answer.code_message.startswith(reason)
