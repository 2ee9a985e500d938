"""An answer as text: verdict first, 80 columns, no escape codes unless asked for."""

from __future__ import annotations

from typing import Any

import pytest

from harness.diagnose.answer import Answer, Finding, Verdict
from harness.report.columns import columns, fill, plain, table
from harness.report.text import duration, render, value


def row(hop: str, **more: Any) -> dict[str, Any]:
    timing = {"ttfb_ms": 3.2, "ttft_ms": 25.0, "e2e_ms": 1203.0, "itl_ms": {"p50": 20.1, "max": None}}
    return {"hop": hop, "tap": "read", "outcome": "done", "events": 62, "content_events": 60, "text_chars": 340,
            "timing": timing, **more}  # fmt: skip


HELD = Finding(
    "burst.until-end", "burst", "error", "gateway", "The gateway held 60 events and let them go together. " * 3,
    {"together": 60, "gap_ms": 1486.3}, ("engine", "gateway"), 3, 1511.0, "It buffers.",
    "location /v1/ {\n    proxy_buffering off;\n}",
)  # fmt: skip
NOTE = Finding("headers.buffering", "headers", "info", "gateway", "没有缓冲响应头，所以 nginx 可能会缓冲。" * 6)
BAD = Answer(
    (row("engine"), row("gateway")), (NOTE, HELD), Verdict(False, "gateway", "burst", "likely", "Held.", "a capture")
)


def test_the_verdict_comes_first_and_errors_before_notes() -> None:
    lines = render(BAD).splitlines()
    assert lines[0] == "FAULT: burst at gateway (likely)"
    heads = [line for line in lines if line.startswith(("✗ error", "· info"))]
    assert heads == [
        "✗ error burst.until-end at gateway (between engine and gateway)", "· info headers.buffering at gateway",
    ]  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_line_of_prose_is_wider_than_asked(width: int) -> None:
    prose = render(Answer((), (NOTE, HELD), BAD.verdict), width).splitlines()
    assert max(columns(line) for line in prose) <= width


def test_the_table_fits_80_columns_and_marks_the_bad_hop() -> None:
    lines = render(BAD).splitlines()
    assert all(columns(line) <= 80 for line in lines)
    assert [line.split()[:2] for line in lines if "60/62" in line] == [["engine", "read"], ["✗", "gateway"]]


def test_evidence_and_a_snippet_to_paste_stay_as_they_are() -> None:
    text = render(BAD)
    assert "  evidence  event 3; at 1.51 s; together 60; gap 1.49 s\n" in text
    assert "  fix       location /v1/ {\n                proxy_buffering off;\n            }\n" in text


@pytest.mark.parametrize(
    ("verdict", "title"),
    [
        (Verdict(True, None, None, "certain", "All well."), "HEALTHY"),
        (Verdict(None, None, None, "cannot-tell", "Nothing came."), "CANNOT TELL"),
        (Verdict(False, None, "loss", "cannot-tell", "Lost."), "FAULT: loss, at which hop cannot be told"),
    ],
)
def test_each_verdict_has_its_title(verdict: Verdict, title: str) -> None:
    assert render(Answer((), (), verdict)).splitlines()[0] == title


def test_escape_codes_come_only_where_asked_for_and_never_from_the_model() -> None:
    loud = Finding("x", "content", "error", "a\x1b[2J", "said \x1b]0;pwn\x07", {"text": "\x1b[31m"}, fix="a\nb\x1b[1m")
    answer = Answer((row("a\x1b[2J"),), (loud,), Verdict(False, "a\x1b[2J", "content", "certain", "\x9bx\n"))
    assert "\x1b" not in render(answer) and "\x9b" not in render(answer)
    assert "\x1b[31m" in render(answer, colour=True)


def test_repeats_are_numbered() -> None:
    assert "engine #2" in render(Answer((row("engine", repeat=2),), (), Verdict(True, None, None, "certain", "")))


def test_wide_characters_count_two_columns() -> None:
    assert columns("网关 ab") == 7
    assert fill("没有 缓冲 ab", 8, "  ") == ["  没有", "  缓冲", "  ab"]
    assert table(("a", "b"), [("网", "1"), ("xyz", "22")]) == ["a     b", "网    1", "xyz  22"]


def test_a_long_word_stays_whole_for_copying() -> None:
    assert fill("see " + "x" * 30, 10) == ["see", "x" * 30]


@pytest.mark.parametrize(
    ("ms", "shown"),
    [(None, "–"), (0.42, "0.4 ms"), (25, "25 ms"), (999.4, "999 ms"), (1511, "1.51 s"), (120_000, "120 s")],
)
def test_durations_read_as_people_say_them(ms: float | None, shown: str) -> None:
    assert duration(ms) == shown


def test_evidence_of_every_type_is_short() -> None:
    assert value([True, None, 1.23456, "a b", {"k": 1}]) == "[yes, –, 1.235, “a b”, {k: 1}]"
    assert plain("a\x00\u202e") == "a\\x00\\u202e"
