"""Markers in prompts."""

from __future__ import annotations

from harness.lab.markers import Call, read_markers


def test_a_marker_names_faults_with_their_parameters_in_order() -> None:
    marked = read_markers("tell me [[lab stall at=20 for=3s truncate at=50%]] a story")
    assert marked.calls == (Call("stall", {"at": "20", "for": "3s"}), Call("truncate", {"at": "50%"}))
    assert marked.prompt == "tell me a story"


def test_words_before_any_fault_are_knobs_and_several_markers_add_up() -> None:
    marked = read_markers("[[lab events=40 seed=7 key=abc]] x [[lab reset]] y [[lab rate=5]]")
    assert marked.knobs == {"events": "40", "seed": "7", "key": "abc", "rate": "5"}
    assert [c.name for c in marked.calls] == ["reset"]


def test_text_that_only_looks_like_a_marker_stays() -> None:
    marked = read_markers("[[laboratory stall]] and [lab stall] and [[lab stall")
    assert marked.calls == () and marked.prompt == "[[laboratory stall]] and [lab stall] and [[lab stall"
