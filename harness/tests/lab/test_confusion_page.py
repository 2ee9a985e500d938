"""The confusion table as a page."""

from __future__ import annotations

from dataclasses import replace

from harness.lab.confusion import Row
from harness.lab.confusion_page import page

ROW = Row("stall", "engine", "ladder", "stall", "error", False, "engine", "stall", ("stall",), True, True)


def test_what_is_named_right_wrong_and_not_at_all_looks_different() -> None:
    elsewhere = replace(ROW, case="hang", first_bad_hop="app", said="truncation", right=False)
    missed = replace(ROW, case="<b>", healthy=True, first_bad_hop=None, said=None, named=False, right=False)
    html = page([ROW, elsewhere, missed])
    assert "1 of 3 cases right, 2 named" in html
    assert '<td class="yes">stall at engine</td>' in html
    assert '<td class="but">truncation at app</td>' in html
    assert '<th>&lt;b&gt;</th><td>stall</td><td class="no">healthy</td>' in html


def test_a_warning_is_told_as_one() -> None:
    warned = replace(ROW, severity="warning", expected="headers", healthy=True, first_bad_hop=None, said=None)
    assert '<td class="yes">headers (warning)</td>' in page([warned])
