"""Sentences that keep their template: English at once, another language at the end."""

from __future__ import annotations

import json
import pickle
import re

import pytest

import harness.diagnose.rules.registry  # noqa: F401  (makes the faults known)
from harness.diagnose.comparable import TIMED_CODES, TIMED_SYMPTOMS
from harness.diagnose.fault import KNOWN
from harness.language import catalogue
from harness.phrase import Phrase, Untimed, joined, phrase, plain_text, recorded, say, spoken, term, told, without

WORDS = {
    "{count} events at {hop}, {why}": "{hop} 处 {count} 个事件，{why}",
    "late": "晚",
    " or ": " 或 ",
    "; ": "；",
    ", ": "、",
}
WORDS |= {"{gap_ms} ms": "{gap_ms} 毫秒", "{names}": "{names}", "One.": "一。", "Two.": "二。", "(none)": "（无）"}


def chinese(template: str) -> str:
    return WORDS.get(template, template)


def test_a_phrase_is_its_english_text() -> None:
    said = phrase("{count} events at {hop}, {why}", count=1, hop="engine", why=phrase("late"))
    assert said == "1 event at engine, late" and json.dumps([said]) == '["1 event at engine, late"]'
    assert phrase("{n} reads, {m} bytes", n=1, m=1) == "1 read, 1 byte"
    assert type(plain_text(said)) is str and plain_text(3) == 3


def test_its_figures_change_the_language_with_it() -> None:
    said = phrase("{count} events at {hop}, {why}", count=1, hop="engine", why=phrase("late"))
    assert said.told(chinese) == "engine 处 1 个事件，晚"
    assert told({"a": [said, 1], "b": "late"}, chinese) == {"a": ["engine 处 1 个事件，晚", 1], "b": "late"}


def test_long_times_lists_and_missing_figures_follow_the_language() -> None:
    assert phrase("{gap_ms} ms", gap_ms=3010).told(chinese) == "3.01 秒"
    assert phrase("{gap_ms} ms", gap_ms=310).told(chinese) == "310 毫秒"
    assert phrase("{names}", names=["a", "b"]).told(chinese) == "a、b"
    assert phrase("{names}").told(chinese) == "（无）"


def test_joined_parts_take_their_own_separator_and_no_blank_after_a_full_stop() -> None:
    parts = joined(" ", [phrase("One."), phrase("Two.")])
    assert parts == "One. Two." and parts.told(chinese) == "一。二。"
    assert joined(" or ", ["nginx", term("late")]).told(chinese) == "nginx 或 晚"
    assert not joined("; ", []) and joined("; ", []).told(chinese) == ""


def test_a_term_is_looked_up_whole_and_may_hold_braces_or_nothing() -> None:
    assert term('{"error": 1}').told(chinese) == '{"error": 1}'
    assert term("").told(lambda text: "header of the catalogue") == ""
    assert term(phrase("late")).told(chinese) == "晚"


def test_recorded_words_stand_in_quotes_unless_they_are_known() -> None:
    assert recorded("closed by app").told(chinese) == "“closed by app”"
    assert recorded("late").told(chinese) == "晚"
    assert recorded("closed by app").told(str) == "closed by app" and recorded("").told(chinese) == ""


def test_say_speaks_the_language_that_is_set() -> None:
    token = spoken.set(chinese)
    try:
        assert say("late") == "晚"
    finally:
        spoken.reset(token)
    assert say("late") == "late"


def test_a_phrase_survives_copies() -> None:
    said = pickle.loads(pickle.dumps(joined("; ", [phrase("late"), "x"])))
    assert isinstance(said, Phrase) and said.told(chinese) == "晚；x"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("Reset at {t_ms} ms, after {n} events.", "Reset, after 3 events."),
        ("Closed after {t_ms} ms without an answer.", "Closed without an answer."),
        ("Ended at {t_ms} ms, {t_ms} ms after the last content: why.", "Ended: why."),
        ("Ended at {known_ms} ms.", "Ended at 5 ms."),
        ("在 {t_ms} 毫秒、{n} 个事件之后被重置。", "在 3 个事件之后被重置。"),
        ("{n} 在 {t_ms} 毫秒之后返回。", "3 返回。"),
        ("时限在 {t_ms} 毫秒 结束了记录，即最后一段内容之后 {t_ms} 毫秒：原因。", "时限结束了记录：原因。"),
    ],
    ids=str,
)
def test_a_clause_of_a_time_that_nobody_recorded_is_left_out(template: str, said: str) -> None:
    assert phrase(template, t_ms=Untimed(), known_ms=5, n=3) == said


def test_times_are_left_out_of_the_phrases_in_a_phrase_too() -> None:
    inner = joined("; ", [phrase("silence for {t_ms} ms", t_ms=0), phrase("{n} events", n=2)])
    assert without(lambda name: name == "t_ms", phrase("So: {why}.", why=inner)) == "So: silence; 2 events."


def test_of_every_finding_that_needs_no_times_the_clause_of_time_can_be_left_out() -> None:
    figures = re.compile(r"\{(\w+_ms|at)\} (?:ms|毫秒)")
    for fault in KNOWN.values():
        if fault.code.partition(".")[0] in TIMED_SYMPTOMS or fault.code in {*TIMED_CODES, "malformed.stamps"}:
            continue
        for said in (fault.summary, catalogue("zh")(fault.summary)):
            names = figures.findall(said)
            if names:
                assert "?" not in phrase(said, **dict.fromkeys(names, Untimed())), said
